"""Words that a language keeps for itself, and names that its generated code needs."""

import keyword
from typing import Final

PYTHON: Final = frozenset(keyword.kwlist) | {"timeout", "self", "reply", "list", "float", "int", "str", "tuple"}
_JAVASCRIPT: Final = """
arguments async await break case catch class const continue debugger default delete do else enum eval export extends
false finally for function if implements import in instanceof interface let new null package private protected
public return static super switch this throw true try typeof undefined var void while with yield
client constructor module reply robot target then
"""
_GO: Final = """
break case chan const continue default defer else fallthrough for func go goto if import interface map package range
return select struct switch type var
any append bool cap clear close copy error float64 int int64 len make max min new nil panic string
ctx m module reply robot values
"""
_RUST: Final = """
abstract as async await become box break const continue crate do dyn else enum extern false final fn for if impl in let
loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe
unsized use virtual where while yield gen
module reply robot sim target
"""
_JAVA: Final = """
abstract assert boolean break byte case catch char class const continue default do double else enum extends final
finally float for goto if implements import instanceof int interface long native new package private protected public
return short static strictfp super switch synchronized this throw throws transient try void volatile while true false
null record var yield sealed permits
client clone finalize getClass hashCode module notify notifyAll reply robot target toString wait
"""
_CSHARP: Final = """
abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else
enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock long
namespace new null object operator out override params private protected public readonly ref return sbyte sealed short
sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using
virtual void volatile while
module reply robot
"""
_CPP: Final = """
alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const consteval constexpr
constinit continue co_await co_return co_yield decltype default delete do double else enum explicit export extern false
float for friend goto if inline int long mutable namespace new noexcept not nullptr operator or private protected public
register requires return short signed sizeof static struct switch template this throw true try typedef typeid typename
union unsigned using virtual void volatile wchar_t while xor restrict
client module reply robot sim target data params outcome
"""
_LUA: Final = """
and break do else elseif end false for function goto if in local nil not or repeat return then true until while
module reply robot self
"""
_MATLAB: Final = """
break case catch classdef continue else elseif end for function global if otherwise parfor persistent return spmd
switch try while do until
client data delete error params reply self target
"""
JAVASCRIPT: Final = frozenset(_JAVASCRIPT.split())
GO: Final = frozenset(_GO.split())
RUST: Final = frozenset(_RUST.split())
JAVA: Final = frozenset(_JAVA.split())
CSHARP: Final = frozenset(_CSHARP.split())
CPP: Final = frozenset(_CPP.split())
LUA: Final = frozenset(_LUA.split())
MATLAB: Final = frozenset(_MATLAB.split())
