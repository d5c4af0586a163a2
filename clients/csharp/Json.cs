using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Coopsim {

/// <summary>JSON text, as LAYOUT tells it: dictionaries, lists, strings, doubles, booleans and null.</summary>
sealed class Json {
    const int Deepest = 32;
    readonly string text;
    int at;

    Json(string text) { this.text = text; }

    /// <summary>What a text says.</summary>
    public static object/*?*/ Parse(string text) {
        var json = new Json(text);
        try {
            var value = json.Value(0);
            return json.Next() == 0 ? value : throw json.Wrong();
        } catch (Exception problem) when (problem is IndexOutOfRangeException || problem is ArgumentException || problem is FormatException) {
            throw json.Wrong();
        }
    }

    Malformed Wrong() => new Malformed($"no JSON at character {at}");

    char Next() {
        while (at < text.Length && char.IsWhiteSpace(text[at])) at++;
        return at < text.Length ? text[at] : '\0';
    }

    bool Skips(char mark) {
        if (Next() != mark) return false;
        at++;
        return true;
    }

    object/*?*/ Value(int depth) {
        if (depth > Deepest) throw Wrong();
        switch (Next()) {
            case '{': return Map(depth);
            case '[': return List(depth);
            case '"': return Characters();
            case 't': return Word("true", true);
            case 'f': return Word("false", false);
            case 'n': return Word("null", null);
            default: return Number();
        }
    }

    Dictionary<string, object/*?*/> Map(int depth) {
        var values = new Dictionary<string, object/*?*/>();
        at++;
        while (!Skips('}')) {
            Next();
            var name = Characters();
            if (!Skips(':')) throw Wrong();
            values[name] = Value(depth + 1);
            if (!Skips(',') && Next() != '}') throw Wrong();
        }
        return values;
    }

    List<object/*?*/> List(int depth) {
        var values = new List<object/*?*/>();
        at++;
        while (!Skips(']')) {
            values.Add(Value(depth + 1));
            if (!Skips(',') && Next() != ']') throw Wrong();
        }
        return values;
    }

    string Characters() {
        if (text[at++] != '"') throw Wrong();
        var characters = new StringBuilder();
        while (text[at] != '"') {
            var character = text[at++];
            characters.Append(character == '\\' ? Escaped() : character);
        }
        at++;
        return characters.ToString();
    }

    char Escaped() {
        var mark = text[at++];
        var place = "bfnrt".IndexOf(mark);
        if (mark != 'u') return place < 0 ? mark : "\b\f\n\r\t"[place];
        at += 4;
        return (char)Convert.ToInt32(text.Substring(at - 4, 4), 16);
    }

    object/*?*/ Word(string word, object/*?*/ meaning) {
        if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) throw Wrong();
        at += word.Length;
        return meaning;
    }

    object Number() {
        var start = at;
        while (at < text.Length && "+-.0123456789eE".IndexOf(text[at]) >= 0) at++;
        return double.Parse(text.Substring(start, at - start), NumberStyles.Float, CultureInfo.InvariantCulture);
    }
}

}
