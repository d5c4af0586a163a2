package coopsim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON text, as LAYOUT tells it: maps, lists, strings, doubles, booleans and null. */
final class Json {
  private static final int DEEPEST = 32;
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** Returns what a text says. */
  static Object parse(String text) {
    Json json = new Json(text);
    try {
      Object value = json.value(0);
      if (json.next() != 0) {
        throw json.wrong();
      }
      return value;
    } catch (IndexOutOfBoundsException | NumberFormatException problem) {
      throw json.wrong();
    }
  }

  private CoopsimException.Malformed wrong() {
    return new CoopsimException.Malformed("no JSON at character " + at);
  }

  private char next() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at < text.length() ? text.charAt(at) : 0;
  }

  private boolean skips(char mark) {
    boolean isThere = next() == mark;
    at += isThere ? 1 : 0;
    return isThere;
  }

  private Object value(int depth) {
    if (depth > DEEPEST) {
      throw wrong();
    }
    return switch (next()) {
      case '{' -> map(depth);
      case '[' -> list(depth);
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, Object> map(int depth) {
    Map<String, Object> values = new LinkedHashMap<>();
    at++;
    while (!skips('}')) {
      next();
      String name = string();
      if (!skips(':')) {
        throw wrong();
      }
      values.put(name, value(depth + 1));
      if (!skips(',') && next() != '}') {
        throw wrong();
      }
    }
    return values;
  }

  private List<Object> list(int depth) {
    List<Object> values = new ArrayList<>();
    at++;
    while (!skips(']')) {
      values.add(value(depth + 1));
      if (!skips(',') && next() != ']') {
        throw wrong();
      }
    }
    return values;
  }

  private String string() {
    if (text.charAt(at++) != '"') {
      throw wrong();
    }
    StringBuilder characters = new StringBuilder();
    while (text.charAt(at) != '"') {
      char character = text.charAt(at++);
      characters.append(character == '\\' ? escaped() : character);
    }
    at++;
    return characters.toString();
  }

  private char escaped() {
    char mark = text.charAt(at++);
    int place = "bfnrt".indexOf(mark);
    if (mark == 'u') {
      at += 4;
      return (char) Integer.parseInt(text.substring(at - 4, at), 16);
    }
    return place < 0 ? mark : "\b\f\n\r\t".charAt(place);
  }

  private Object word(String word, Object meaning) {
    if (!text.startsWith(word, at)) {
      throw wrong();
    }
    at += word.length();
    return meaning;
  }

  private Double number() {
    int start = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return Double.valueOf(text.substring(start, at));
  }
}
