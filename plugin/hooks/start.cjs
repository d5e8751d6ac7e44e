"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __esm = (fn, res, err) => function __init() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __export = (target, all) => {
  for (var name2 in all)
    __defProp(target, name2, { get: all[name2], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key2 of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key2) && key2 !== except)
        __defProp(to, key2, { get: () => from[key2], enumerable: !(desc = __getOwnPropDesc(from, key2)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// node_modules/jsonc-parser/lib/esm/impl/scanner.js
function createScanner(text4, ignoreTrivia = false) {
  const len = text4.length;
  let pos = 0, value = "", tokenOffset = 0, token = 16, lineNumber = 0, lineStartOffset = 0, tokenLineStartOffset = 0, prevTokenLineStartOffset = 0, scanError = 0;
  function scanHexDigits(count3, exact) {
    let digits = 0;
    let value2 = 0;
    while (digits < count3 || !exact) {
      let ch = text4.charCodeAt(pos);
      if (ch >= 48 && ch <= 57) {
        value2 = value2 * 16 + ch - 48;
      } else if (ch >= 65 && ch <= 70) {
        value2 = value2 * 16 + ch - 65 + 10;
      } else if (ch >= 97 && ch <= 102) {
        value2 = value2 * 16 + ch - 97 + 10;
      } else {
        break;
      }
      pos++;
      digits++;
    }
    if (digits < count3) {
      value2 = -1;
    }
    return value2;
  }
  function setPosition(newPosition) {
    pos = newPosition;
    value = "";
    tokenOffset = 0;
    token = 16;
    scanError = 0;
  }
  function scanNumber() {
    let start = pos;
    if (text4.charCodeAt(pos) === 48) {
      pos++;
    } else {
      pos++;
      while (pos < text4.length && isDigit(text4.charCodeAt(pos))) {
        pos++;
      }
    }
    if (pos < text4.length && text4.charCodeAt(pos) === 46) {
      pos++;
      if (pos < text4.length && isDigit(text4.charCodeAt(pos))) {
        pos++;
        while (pos < text4.length && isDigit(text4.charCodeAt(pos))) {
          pos++;
        }
      } else {
        scanError = 3;
        return text4.substring(start, pos);
      }
    }
    let end = pos;
    if (pos < text4.length && (text4.charCodeAt(pos) === 69 || text4.charCodeAt(pos) === 101)) {
      pos++;
      if (pos < text4.length && text4.charCodeAt(pos) === 43 || text4.charCodeAt(pos) === 45) {
        pos++;
      }
      if (pos < text4.length && isDigit(text4.charCodeAt(pos))) {
        pos++;
        while (pos < text4.length && isDigit(text4.charCodeAt(pos))) {
          pos++;
        }
        end = pos;
      } else {
        scanError = 3;
      }
    }
    return text4.substring(start, end);
  }
  function scanString() {
    let result = "", start = pos;
    while (true) {
      if (pos >= len) {
        result += text4.substring(start, pos);
        scanError = 2;
        break;
      }
      const ch = text4.charCodeAt(pos);
      if (ch === 34) {
        result += text4.substring(start, pos);
        pos++;
        break;
      }
      if (ch === 92) {
        result += text4.substring(start, pos);
        pos++;
        if (pos >= len) {
          scanError = 2;
          break;
        }
        const ch2 = text4.charCodeAt(pos++);
        switch (ch2) {
          case 34:
            result += '"';
            break;
          case 92:
            result += "\\";
            break;
          case 47:
            result += "/";
            break;
          case 98:
            result += "\b";
            break;
          case 102:
            result += "\f";
            break;
          case 110:
            result += "\n";
            break;
          case 114:
            result += "\r";
            break;
          case 116:
            result += "	";
            break;
          case 117:
            const ch3 = scanHexDigits(4, true);
            if (ch3 >= 0) {
              result += String.fromCharCode(ch3);
            } else {
              scanError = 4;
            }
            break;
          default:
            scanError = 5;
        }
        start = pos;
        continue;
      }
      if (ch >= 0 && ch <= 31) {
        if (isLineBreak(ch)) {
          result += text4.substring(start, pos);
          scanError = 2;
          break;
        } else {
          scanError = 6;
        }
      }
      pos++;
    }
    return result;
  }
  function scanNext() {
    value = "";
    scanError = 0;
    tokenOffset = pos;
    lineStartOffset = lineNumber;
    prevTokenLineStartOffset = tokenLineStartOffset;
    if (pos >= len) {
      tokenOffset = len;
      return token = 17;
    }
    let code = text4.charCodeAt(pos);
    if (isWhiteSpace(code)) {
      do {
        pos++;
        value += String.fromCharCode(code);
        code = text4.charCodeAt(pos);
      } while (isWhiteSpace(code));
      return token = 15;
    }
    if (isLineBreak(code)) {
      pos++;
      value += String.fromCharCode(code);
      if (code === 13 && text4.charCodeAt(pos) === 10) {
        pos++;
        value += "\n";
      }
      lineNumber++;
      tokenLineStartOffset = pos;
      return token = 14;
    }
    switch (code) {
      // tokens: []{}:,
      case 123:
        pos++;
        return token = 1;
      case 125:
        pos++;
        return token = 2;
      case 91:
        pos++;
        return token = 3;
      case 93:
        pos++;
        return token = 4;
      case 58:
        pos++;
        return token = 6;
      case 44:
        pos++;
        return token = 5;
      // strings
      case 34:
        pos++;
        value = scanString();
        return token = 10;
      // comments
      case 47:
        const start = pos - 1;
        if (text4.charCodeAt(pos + 1) === 47) {
          pos += 2;
          while (pos < len) {
            if (isLineBreak(text4.charCodeAt(pos))) {
              break;
            }
            pos++;
          }
          value = text4.substring(start, pos);
          return token = 12;
        }
        if (text4.charCodeAt(pos + 1) === 42) {
          pos += 2;
          const safeLength = len - 1;
          let commentClosed = false;
          while (pos < safeLength) {
            const ch = text4.charCodeAt(pos);
            if (ch === 42 && text4.charCodeAt(pos + 1) === 47) {
              pos += 2;
              commentClosed = true;
              break;
            }
            pos++;
            if (isLineBreak(ch)) {
              if (ch === 13 && text4.charCodeAt(pos) === 10) {
                pos++;
              }
              lineNumber++;
              tokenLineStartOffset = pos;
            }
          }
          if (!commentClosed) {
            pos++;
            scanError = 1;
          }
          value = text4.substring(start, pos);
          return token = 13;
        }
        value += String.fromCharCode(code);
        pos++;
        return token = 16;
      // numbers
      case 45:
        value += String.fromCharCode(code);
        pos++;
        if (pos === len || !isDigit(text4.charCodeAt(pos))) {
          return token = 16;
        }
      // found a minus, followed by a number so
      // we fall through to proceed with scanning
      // numbers
      case 48:
      case 49:
      case 50:
      case 51:
      case 52:
      case 53:
      case 54:
      case 55:
      case 56:
      case 57:
        value += scanNumber();
        return token = 11;
      // literals and unknown symbols
      default:
        while (pos < len && isUnknownContentCharacter(code)) {
          pos++;
          code = text4.charCodeAt(pos);
        }
        if (tokenOffset !== pos) {
          value = text4.substring(tokenOffset, pos);
          switch (value) {
            case "true":
              return token = 8;
            case "false":
              return token = 9;
            case "null":
              return token = 7;
          }
          return token = 16;
        }
        value += String.fromCharCode(code);
        pos++;
        return token = 16;
    }
  }
  function isUnknownContentCharacter(code) {
    if (isWhiteSpace(code) || isLineBreak(code)) {
      return false;
    }
    switch (code) {
      case 125:
      case 93:
      case 123:
      case 91:
      case 34:
      case 58:
      case 44:
      case 47:
        return false;
    }
    return true;
  }
  function scanNextNonTrivia() {
    let result;
    do {
      result = scanNext();
    } while (result >= 12 && result <= 15);
    return result;
  }
  return {
    setPosition,
    getPosition: () => pos,
    scan: ignoreTrivia ? scanNextNonTrivia : scanNext,
    getToken: () => token,
    getTokenValue: () => value,
    getTokenOffset: () => tokenOffset,
    getTokenLength: () => pos - tokenOffset,
    getTokenStartLine: () => lineStartOffset,
    getTokenStartCharacter: () => tokenOffset - prevTokenLineStartOffset,
    getTokenError: () => scanError
  };
}
function isWhiteSpace(ch) {
  return ch === 32 || ch === 9;
}
function isLineBreak(ch) {
  return ch === 10 || ch === 13;
}
function isDigit(ch) {
  return ch >= 48 && ch <= 57;
}
var CharacterCodes;
var init_scanner = __esm({
  "node_modules/jsonc-parser/lib/esm/impl/scanner.js"() {
    "use strict";
    (function(CharacterCodes2) {
      CharacterCodes2[CharacterCodes2["lineFeed"] = 10] = "lineFeed";
      CharacterCodes2[CharacterCodes2["carriageReturn"] = 13] = "carriageReturn";
      CharacterCodes2[CharacterCodes2["space"] = 32] = "space";
      CharacterCodes2[CharacterCodes2["_0"] = 48] = "_0";
      CharacterCodes2[CharacterCodes2["_1"] = 49] = "_1";
      CharacterCodes2[CharacterCodes2["_2"] = 50] = "_2";
      CharacterCodes2[CharacterCodes2["_3"] = 51] = "_3";
      CharacterCodes2[CharacterCodes2["_4"] = 52] = "_4";
      CharacterCodes2[CharacterCodes2["_5"] = 53] = "_5";
      CharacterCodes2[CharacterCodes2["_6"] = 54] = "_6";
      CharacterCodes2[CharacterCodes2["_7"] = 55] = "_7";
      CharacterCodes2[CharacterCodes2["_8"] = 56] = "_8";
      CharacterCodes2[CharacterCodes2["_9"] = 57] = "_9";
      CharacterCodes2[CharacterCodes2["a"] = 97] = "a";
      CharacterCodes2[CharacterCodes2["b"] = 98] = "b";
      CharacterCodes2[CharacterCodes2["c"] = 99] = "c";
      CharacterCodes2[CharacterCodes2["d"] = 100] = "d";
      CharacterCodes2[CharacterCodes2["e"] = 101] = "e";
      CharacterCodes2[CharacterCodes2["f"] = 102] = "f";
      CharacterCodes2[CharacterCodes2["g"] = 103] = "g";
      CharacterCodes2[CharacterCodes2["h"] = 104] = "h";
      CharacterCodes2[CharacterCodes2["i"] = 105] = "i";
      CharacterCodes2[CharacterCodes2["j"] = 106] = "j";
      CharacterCodes2[CharacterCodes2["k"] = 107] = "k";
      CharacterCodes2[CharacterCodes2["l"] = 108] = "l";
      CharacterCodes2[CharacterCodes2["m"] = 109] = "m";
      CharacterCodes2[CharacterCodes2["n"] = 110] = "n";
      CharacterCodes2[CharacterCodes2["o"] = 111] = "o";
      CharacterCodes2[CharacterCodes2["p"] = 112] = "p";
      CharacterCodes2[CharacterCodes2["q"] = 113] = "q";
      CharacterCodes2[CharacterCodes2["r"] = 114] = "r";
      CharacterCodes2[CharacterCodes2["s"] = 115] = "s";
      CharacterCodes2[CharacterCodes2["t"] = 116] = "t";
      CharacterCodes2[CharacterCodes2["u"] = 117] = "u";
      CharacterCodes2[CharacterCodes2["v"] = 118] = "v";
      CharacterCodes2[CharacterCodes2["w"] = 119] = "w";
      CharacterCodes2[CharacterCodes2["x"] = 120] = "x";
      CharacterCodes2[CharacterCodes2["y"] = 121] = "y";
      CharacterCodes2[CharacterCodes2["z"] = 122] = "z";
      CharacterCodes2[CharacterCodes2["A"] = 65] = "A";
      CharacterCodes2[CharacterCodes2["B"] = 66] = "B";
      CharacterCodes2[CharacterCodes2["C"] = 67] = "C";
      CharacterCodes2[CharacterCodes2["D"] = 68] = "D";
      CharacterCodes2[CharacterCodes2["E"] = 69] = "E";
      CharacterCodes2[CharacterCodes2["F"] = 70] = "F";
      CharacterCodes2[CharacterCodes2["G"] = 71] = "G";
      CharacterCodes2[CharacterCodes2["H"] = 72] = "H";
      CharacterCodes2[CharacterCodes2["I"] = 73] = "I";
      CharacterCodes2[CharacterCodes2["J"] = 74] = "J";
      CharacterCodes2[CharacterCodes2["K"] = 75] = "K";
      CharacterCodes2[CharacterCodes2["L"] = 76] = "L";
      CharacterCodes2[CharacterCodes2["M"] = 77] = "M";
      CharacterCodes2[CharacterCodes2["N"] = 78] = "N";
      CharacterCodes2[CharacterCodes2["O"] = 79] = "O";
      CharacterCodes2[CharacterCodes2["P"] = 80] = "P";
      CharacterCodes2[CharacterCodes2["Q"] = 81] = "Q";
      CharacterCodes2[CharacterCodes2["R"] = 82] = "R";
      CharacterCodes2[CharacterCodes2["S"] = 83] = "S";
      CharacterCodes2[CharacterCodes2["T"] = 84] = "T";
      CharacterCodes2[CharacterCodes2["U"] = 85] = "U";
      CharacterCodes2[CharacterCodes2["V"] = 86] = "V";
      CharacterCodes2[CharacterCodes2["W"] = 87] = "W";
      CharacterCodes2[CharacterCodes2["X"] = 88] = "X";
      CharacterCodes2[CharacterCodes2["Y"] = 89] = "Y";
      CharacterCodes2[CharacterCodes2["Z"] = 90] = "Z";
      CharacterCodes2[CharacterCodes2["asterisk"] = 42] = "asterisk";
      CharacterCodes2[CharacterCodes2["backslash"] = 92] = "backslash";
      CharacterCodes2[CharacterCodes2["closeBrace"] = 125] = "closeBrace";
      CharacterCodes2[CharacterCodes2["closeBracket"] = 93] = "closeBracket";
      CharacterCodes2[CharacterCodes2["colon"] = 58] = "colon";
      CharacterCodes2[CharacterCodes2["comma"] = 44] = "comma";
      CharacterCodes2[CharacterCodes2["dot"] = 46] = "dot";
      CharacterCodes2[CharacterCodes2["doubleQuote"] = 34] = "doubleQuote";
      CharacterCodes2[CharacterCodes2["minus"] = 45] = "minus";
      CharacterCodes2[CharacterCodes2["openBrace"] = 123] = "openBrace";
      CharacterCodes2[CharacterCodes2["openBracket"] = 91] = "openBracket";
      CharacterCodes2[CharacterCodes2["plus"] = 43] = "plus";
      CharacterCodes2[CharacterCodes2["slash"] = 47] = "slash";
      CharacterCodes2[CharacterCodes2["formFeed"] = 12] = "formFeed";
      CharacterCodes2[CharacterCodes2["tab"] = 9] = "tab";
    })(CharacterCodes || (CharacterCodes = {}));
  }
});

// node_modules/jsonc-parser/lib/esm/impl/string-intern.js
var cachedSpaces, maxCachedValues, cachedBreakLinesWithSpaces, supportedEols;
var init_string_intern = __esm({
  "node_modules/jsonc-parser/lib/esm/impl/string-intern.js"() {
    cachedSpaces = new Array(20).fill(0).map((_, index) => {
      return " ".repeat(index);
    });
    maxCachedValues = 200;
    cachedBreakLinesWithSpaces = {
      " ": {
        "\n": new Array(maxCachedValues).fill(0).map((_, index) => {
          return "\n" + " ".repeat(index);
        }),
        "\r": new Array(maxCachedValues).fill(0).map((_, index) => {
          return "\r" + " ".repeat(index);
        }),
        "\r\n": new Array(maxCachedValues).fill(0).map((_, index) => {
          return "\r\n" + " ".repeat(index);
        })
      },
      "	": {
        "\n": new Array(maxCachedValues).fill(0).map((_, index) => {
          return "\n" + "	".repeat(index);
        }),
        "\r": new Array(maxCachedValues).fill(0).map((_, index) => {
          return "\r" + "	".repeat(index);
        }),
        "\r\n": new Array(maxCachedValues).fill(0).map((_, index) => {
          return "\r\n" + "	".repeat(index);
        })
      }
    };
    supportedEols = ["\n", "\r", "\r\n"];
  }
});

// node_modules/jsonc-parser/lib/esm/impl/format.js
function format(documentText, range, options) {
  let initialIndentLevel;
  let formatText;
  let formatTextStart;
  let rangeStart;
  let rangeEnd;
  if (range) {
    rangeStart = range.offset;
    rangeEnd = rangeStart + range.length;
    formatTextStart = rangeStart;
    while (formatTextStart > 0 && !isEOL(documentText, formatTextStart - 1)) {
      formatTextStart--;
    }
    let endOffset = rangeEnd;
    while (endOffset < documentText.length && !isEOL(documentText, endOffset)) {
      endOffset++;
    }
    formatText = documentText.substring(formatTextStart, endOffset);
    initialIndentLevel = computeIndentLevel(formatText, options);
  } else {
    formatText = documentText;
    initialIndentLevel = 0;
    formatTextStart = 0;
    rangeStart = 0;
    rangeEnd = documentText.length;
  }
  const eol = getEOL(options, documentText);
  const eolFastPathSupported = supportedEols.includes(eol);
  let numberLineBreaks = 0;
  let indentLevel = 0;
  let indentValue;
  if (options.insertSpaces) {
    indentValue = cachedSpaces[options.tabSize || 4] ?? repeat(cachedSpaces[1], options.tabSize || 4);
  } else {
    indentValue = "	";
  }
  const indentType = indentValue === "	" ? "	" : " ";
  let scanner = createScanner(formatText, false);
  let hasError = false;
  function newLinesAndIndent() {
    if (numberLineBreaks > 1) {
      return repeat(eol, numberLineBreaks) + repeat(indentValue, initialIndentLevel + indentLevel);
    }
    const amountOfSpaces = indentValue.length * (initialIndentLevel + indentLevel);
    if (!eolFastPathSupported || amountOfSpaces > cachedBreakLinesWithSpaces[indentType][eol].length) {
      return eol + repeat(indentValue, initialIndentLevel + indentLevel);
    }
    if (amountOfSpaces <= 0) {
      return eol;
    }
    return cachedBreakLinesWithSpaces[indentType][eol][amountOfSpaces];
  }
  function scanNext() {
    let token = scanner.scan();
    numberLineBreaks = 0;
    while (token === 15 || token === 14) {
      if (token === 14 && options.keepLines) {
        numberLineBreaks += 1;
      } else if (token === 14) {
        numberLineBreaks = 1;
      }
      token = scanner.scan();
    }
    hasError = token === 16 || scanner.getTokenError() !== 0;
    return token;
  }
  const editOperations = [];
  function addEdit(text4, startOffset, endOffset) {
    if (!hasError && (!range || startOffset < rangeEnd && endOffset > rangeStart) && documentText.substring(startOffset, endOffset) !== text4) {
      editOperations.push({ offset: startOffset, length: endOffset - startOffset, content: text4 });
    }
  }
  let firstToken = scanNext();
  if (options.keepLines && numberLineBreaks > 0) {
    addEdit(repeat(eol, numberLineBreaks), 0, 0);
  }
  if (firstToken !== 17) {
    let firstTokenStart = scanner.getTokenOffset() + formatTextStart;
    let initialIndent = indentValue.length * initialIndentLevel < 20 && options.insertSpaces ? cachedSpaces[indentValue.length * initialIndentLevel] : repeat(indentValue, initialIndentLevel);
    addEdit(initialIndent, formatTextStart, firstTokenStart);
  }
  while (firstToken !== 17) {
    let firstTokenEnd = scanner.getTokenOffset() + scanner.getTokenLength() + formatTextStart;
    let secondToken = scanNext();
    let replaceContent = "";
    let needsLineBreak = false;
    while (numberLineBreaks === 0 && (secondToken === 12 || secondToken === 13)) {
      let commentTokenStart = scanner.getTokenOffset() + formatTextStart;
      addEdit(cachedSpaces[1], firstTokenEnd, commentTokenStart);
      firstTokenEnd = scanner.getTokenOffset() + scanner.getTokenLength() + formatTextStart;
      needsLineBreak = secondToken === 12;
      replaceContent = needsLineBreak ? newLinesAndIndent() : "";
      secondToken = scanNext();
    }
    if (secondToken === 2) {
      if (firstToken !== 1) {
        indentLevel--;
      }
      ;
      if (options.keepLines && numberLineBreaks > 0 || !options.keepLines && firstToken !== 1) {
        replaceContent = newLinesAndIndent();
      } else if (options.keepLines) {
        replaceContent = cachedSpaces[1];
      }
    } else if (secondToken === 4) {
      if (firstToken !== 3) {
        indentLevel--;
      }
      ;
      if (options.keepLines && numberLineBreaks > 0 || !options.keepLines && firstToken !== 3) {
        replaceContent = newLinesAndIndent();
      } else if (options.keepLines) {
        replaceContent = cachedSpaces[1];
      }
    } else {
      switch (firstToken) {
        case 3:
        case 1:
          indentLevel++;
          if (options.keepLines && numberLineBreaks > 0 || !options.keepLines) {
            replaceContent = newLinesAndIndent();
          } else {
            replaceContent = cachedSpaces[1];
          }
          break;
        case 5:
          if (options.keepLines && numberLineBreaks > 0 || !options.keepLines) {
            replaceContent = newLinesAndIndent();
          } else {
            replaceContent = cachedSpaces[1];
          }
          break;
        case 12:
          replaceContent = newLinesAndIndent();
          break;
        case 13:
          if (numberLineBreaks > 0) {
            replaceContent = newLinesAndIndent();
          } else if (!needsLineBreak) {
            replaceContent = cachedSpaces[1];
          }
          break;
        case 6:
          if (options.keepLines && numberLineBreaks > 0) {
            replaceContent = newLinesAndIndent();
          } else if (!needsLineBreak) {
            replaceContent = cachedSpaces[1];
          }
          break;
        case 10:
          if (options.keepLines && numberLineBreaks > 0) {
            replaceContent = newLinesAndIndent();
          } else if (secondToken === 6 && !needsLineBreak) {
            replaceContent = "";
          }
          break;
        case 7:
        case 8:
        case 9:
        case 11:
        case 2:
        case 4:
          if (options.keepLines && numberLineBreaks > 0) {
            replaceContent = newLinesAndIndent();
          } else {
            if ((secondToken === 12 || secondToken === 13) && !needsLineBreak) {
              replaceContent = cachedSpaces[1];
            } else if (secondToken !== 5 && secondToken !== 17) {
              hasError = true;
            }
          }
          break;
        case 16:
          hasError = true;
          break;
      }
      if (numberLineBreaks > 0 && (secondToken === 12 || secondToken === 13)) {
        replaceContent = newLinesAndIndent();
      }
    }
    if (secondToken === 17) {
      if (options.keepLines && numberLineBreaks > 0) {
        replaceContent = newLinesAndIndent();
      } else {
        replaceContent = options.insertFinalNewline ? eol : "";
      }
    }
    const secondTokenStart = scanner.getTokenOffset() + formatTextStart;
    addEdit(replaceContent, firstTokenEnd, secondTokenStart);
    firstToken = secondToken;
  }
  return editOperations;
}
function repeat(s, count3) {
  let result = "";
  for (let i = 0; i < count3; i++) {
    result += s;
  }
  return result;
}
function computeIndentLevel(content, options) {
  let i = 0;
  let nChars = 0;
  const tabSize = options.tabSize || 4;
  while (i < content.length) {
    let ch = content.charAt(i);
    if (ch === cachedSpaces[1]) {
      nChars++;
    } else if (ch === "	") {
      nChars += tabSize;
    } else {
      break;
    }
    i++;
  }
  return Math.floor(nChars / tabSize);
}
function getEOL(options, text4) {
  for (let i = 0; i < text4.length; i++) {
    const ch = text4.charAt(i);
    if (ch === "\r") {
      if (i + 1 < text4.length && text4.charAt(i + 1) === "\n") {
        return "\r\n";
      }
      return "\r";
    } else if (ch === "\n") {
      return "\n";
    }
  }
  return options && options.eol || "\n";
}
function isEOL(text4, offset) {
  return "\r\n".indexOf(text4.charAt(offset)) !== -1;
}
var init_format = __esm({
  "node_modules/jsonc-parser/lib/esm/impl/format.js"() {
    "use strict";
    init_scanner();
    init_string_intern();
  }
});

// node_modules/jsonc-parser/lib/esm/impl/parser.js
function getLocation(text4, position) {
  const segments = [];
  const earlyReturnException = new Object();
  let previousNode = void 0;
  const previousNodeInst = {
    value: {},
    offset: 0,
    length: 0,
    type: "object",
    parent: void 0
  };
  let isAtPropertyKey = false;
  function setPreviousNode(value, offset, length, type) {
    previousNodeInst.value = value;
    previousNodeInst.offset = offset;
    previousNodeInst.length = length;
    previousNodeInst.type = type;
    previousNodeInst.colonOffset = void 0;
    previousNode = previousNodeInst;
  }
  try {
    visit(text4, {
      onObjectBegin: (offset, length) => {
        if (position <= offset) {
          throw earlyReturnException;
        }
        previousNode = void 0;
        isAtPropertyKey = position > offset;
        segments.push("");
      },
      onObjectProperty: (name2, offset, length) => {
        if (position < offset) {
          throw earlyReturnException;
        }
        setPreviousNode(name2, offset, length, "property");
        segments[segments.length - 1] = name2;
        if (position <= offset + length) {
          throw earlyReturnException;
        }
      },
      onObjectEnd: (offset, length) => {
        if (position <= offset) {
          throw earlyReturnException;
        }
        previousNode = void 0;
        segments.pop();
      },
      onArrayBegin: (offset, length) => {
        if (position <= offset) {
          throw earlyReturnException;
        }
        previousNode = void 0;
        segments.push(0);
      },
      onArrayEnd: (offset, length) => {
        if (position <= offset) {
          throw earlyReturnException;
        }
        previousNode = void 0;
        segments.pop();
      },
      onLiteralValue: (value, offset, length) => {
        if (position < offset) {
          throw earlyReturnException;
        }
        setPreviousNode(value, offset, length, getNodeType(value));
        if (position <= offset + length) {
          throw earlyReturnException;
        }
      },
      onSeparator: (sep3, offset, length) => {
        if (position <= offset) {
          throw earlyReturnException;
        }
        if (sep3 === ":" && previousNode && previousNode.type === "property") {
          previousNode.colonOffset = offset;
          isAtPropertyKey = false;
          previousNode = void 0;
        } else if (sep3 === ",") {
          const last = segments[segments.length - 1];
          if (typeof last === "number") {
            segments[segments.length - 1] = last + 1;
          } else {
            isAtPropertyKey = true;
            segments[segments.length - 1] = "";
          }
          previousNode = void 0;
        }
      }
    });
  } catch (e) {
    if (e !== earlyReturnException) {
      throw e;
    }
  }
  return {
    path: segments,
    previousNode,
    isAtPropertyKey,
    matches: (pattern) => {
      let k = 0;
      for (let i = 0; k < pattern.length && i < segments.length; i++) {
        if (pattern[k] === segments[i] || pattern[k] === "*") {
          k++;
        } else if (pattern[k] !== "**") {
          return false;
        }
      }
      return k === pattern.length;
    }
  };
}
function parse(text4, errors = [], options = ParseOptions.DEFAULT) {
  let currentProperty = null;
  let currentParent = [];
  const previousParents = [];
  function onValue(value) {
    if (Array.isArray(currentParent)) {
      currentParent.push(value);
    } else if (currentProperty !== null) {
      currentParent[currentProperty] = value;
    }
  }
  const visitor = {
    onObjectBegin: () => {
      const object3 = {};
      onValue(object3);
      previousParents.push(currentParent);
      currentParent = object3;
      currentProperty = null;
    },
    onObjectProperty: (name2) => {
      currentProperty = name2;
    },
    onObjectEnd: () => {
      currentParent = previousParents.pop();
    },
    onArrayBegin: () => {
      const array2 = [];
      onValue(array2);
      previousParents.push(currentParent);
      currentParent = array2;
      currentProperty = null;
    },
    onArrayEnd: () => {
      currentParent = previousParents.pop();
    },
    onLiteralValue: onValue,
    onError: (error, offset, length) => {
      errors.push({ error, offset, length });
    }
  };
  visit(text4, visitor, options);
  return currentParent[0];
}
function parseTree(text4, errors = [], options = ParseOptions.DEFAULT) {
  let currentParent = { type: "array", offset: -1, length: -1, children: [], parent: void 0 };
  function ensurePropertyComplete(endOffset) {
    if (currentParent.type === "property") {
      currentParent.length = endOffset - currentParent.offset;
      currentParent = currentParent.parent;
    }
  }
  function onValue(valueNode) {
    currentParent.children.push(valueNode);
    return valueNode;
  }
  const visitor = {
    onObjectBegin: (offset) => {
      currentParent = onValue({ type: "object", offset, length: -1, parent: currentParent, children: [] });
    },
    onObjectProperty: (name2, offset, length) => {
      currentParent = onValue({ type: "property", offset, length: -1, parent: currentParent, children: [] });
      currentParent.children.push({ type: "string", value: name2, offset, length, parent: currentParent });
    },
    onObjectEnd: (offset, length) => {
      ensurePropertyComplete(offset + length);
      currentParent.length = offset + length - currentParent.offset;
      currentParent = currentParent.parent;
      ensurePropertyComplete(offset + length);
    },
    onArrayBegin: (offset, length) => {
      currentParent = onValue({ type: "array", offset, length: -1, parent: currentParent, children: [] });
    },
    onArrayEnd: (offset, length) => {
      currentParent.length = offset + length - currentParent.offset;
      currentParent = currentParent.parent;
      ensurePropertyComplete(offset + length);
    },
    onLiteralValue: (value, offset, length) => {
      onValue({ type: getNodeType(value), offset, length, parent: currentParent, value });
      ensurePropertyComplete(offset + length);
    },
    onSeparator: (sep3, offset, length) => {
      if (currentParent.type === "property") {
        if (sep3 === ":") {
          currentParent.colonOffset = offset;
        } else if (sep3 === ",") {
          ensurePropertyComplete(offset);
        }
      }
    },
    onError: (error, offset, length) => {
      errors.push({ error, offset, length });
    }
  };
  visit(text4, visitor, options);
  const result = currentParent.children[0];
  if (result) {
    delete result.parent;
  }
  return result;
}
function findNodeAtLocation(root, path) {
  if (!root) {
    return void 0;
  }
  let node = root;
  for (let segment of path) {
    if (typeof segment === "string") {
      if (node.type !== "object" || !Array.isArray(node.children)) {
        return void 0;
      }
      let found = false;
      for (const propertyNode of node.children) {
        if (Array.isArray(propertyNode.children) && propertyNode.children[0].value === segment && propertyNode.children.length === 2) {
          node = propertyNode.children[1];
          found = true;
          break;
        }
      }
      if (!found) {
        return void 0;
      }
    } else {
      const index = segment;
      if (node.type !== "array" || index < 0 || !Array.isArray(node.children) || index >= node.children.length) {
        return void 0;
      }
      node = node.children[index];
    }
  }
  return node;
}
function getNodePath(node) {
  if (!node.parent || !node.parent.children) {
    return [];
  }
  const path = getNodePath(node.parent);
  if (node.parent.type === "property") {
    const key2 = node.parent.children[0].value;
    path.push(key2);
  } else if (node.parent.type === "array") {
    const index = node.parent.children.indexOf(node);
    if (index !== -1) {
      path.push(index);
    }
  }
  return path;
}
function getNodeValue(node) {
  switch (node.type) {
    case "array":
      return node.children.map(getNodeValue);
    case "object":
      const obj = /* @__PURE__ */ Object.create(null);
      for (let prop of node.children) {
        const valueNode = prop.children[1];
        if (valueNode) {
          obj[prop.children[0].value] = getNodeValue(valueNode);
        }
      }
      return obj;
    case "null":
    case "string":
    case "number":
    case "boolean":
      return node.value;
    default:
      return void 0;
  }
}
function contains(node, offset, includeRightBound = false) {
  return offset >= node.offset && offset < node.offset + node.length || includeRightBound && offset === node.offset + node.length;
}
function findNodeAtOffset(node, offset, includeRightBound = false) {
  if (contains(node, offset, includeRightBound)) {
    const children = node.children;
    if (Array.isArray(children)) {
      for (let i = 0; i < children.length && children[i].offset <= offset; i++) {
        const item = findNodeAtOffset(children[i], offset, includeRightBound);
        if (item) {
          return item;
        }
      }
    }
    return node;
  }
  return void 0;
}
function visit(text4, visitor, options = ParseOptions.DEFAULT) {
  const _scanner = createScanner(text4, false);
  const _jsonPath = [];
  let suppressedCallbacks = 0;
  function toNoArgVisit(visitFunction) {
    return visitFunction ? () => suppressedCallbacks === 0 && visitFunction(_scanner.getTokenOffset(), _scanner.getTokenLength(), _scanner.getTokenStartLine(), _scanner.getTokenStartCharacter()) : () => true;
  }
  function toOneArgVisit(visitFunction) {
    return visitFunction ? (arg) => suppressedCallbacks === 0 && visitFunction(arg, _scanner.getTokenOffset(), _scanner.getTokenLength(), _scanner.getTokenStartLine(), _scanner.getTokenStartCharacter()) : () => true;
  }
  function toOneArgVisitWithPath(visitFunction) {
    return visitFunction ? (arg) => suppressedCallbacks === 0 && visitFunction(arg, _scanner.getTokenOffset(), _scanner.getTokenLength(), _scanner.getTokenStartLine(), _scanner.getTokenStartCharacter(), () => _jsonPath.slice()) : () => true;
  }
  function toBeginVisit(visitFunction) {
    return visitFunction ? () => {
      if (suppressedCallbacks > 0) {
        suppressedCallbacks++;
      } else {
        let cbReturn = visitFunction(_scanner.getTokenOffset(), _scanner.getTokenLength(), _scanner.getTokenStartLine(), _scanner.getTokenStartCharacter(), () => _jsonPath.slice());
        if (cbReturn === false) {
          suppressedCallbacks = 1;
        }
      }
    } : () => true;
  }
  function toEndVisit(visitFunction) {
    return visitFunction ? () => {
      if (suppressedCallbacks > 0) {
        suppressedCallbacks--;
      }
      if (suppressedCallbacks === 0) {
        visitFunction(_scanner.getTokenOffset(), _scanner.getTokenLength(), _scanner.getTokenStartLine(), _scanner.getTokenStartCharacter());
      }
    } : () => true;
  }
  const onObjectBegin = toBeginVisit(visitor.onObjectBegin), onObjectProperty = toOneArgVisitWithPath(visitor.onObjectProperty), onObjectEnd = toEndVisit(visitor.onObjectEnd), onArrayBegin = toBeginVisit(visitor.onArrayBegin), onArrayEnd = toEndVisit(visitor.onArrayEnd), onLiteralValue = toOneArgVisitWithPath(visitor.onLiteralValue), onSeparator = toOneArgVisit(visitor.onSeparator), onComment = toNoArgVisit(visitor.onComment), onError = toOneArgVisit(visitor.onError);
  const disallowComments = options && options.disallowComments;
  const allowTrailingComma = options && options.allowTrailingComma;
  function scanNext() {
    while (true) {
      const token = _scanner.scan();
      switch (_scanner.getTokenError()) {
        case 4:
          handleError(
            14
            /* ParseErrorCode.InvalidUnicode */
          );
          break;
        case 5:
          handleError(
            15
            /* ParseErrorCode.InvalidEscapeCharacter */
          );
          break;
        case 3:
          handleError(
            13
            /* ParseErrorCode.UnexpectedEndOfNumber */
          );
          break;
        case 1:
          if (!disallowComments) {
            handleError(
              11
              /* ParseErrorCode.UnexpectedEndOfComment */
            );
          }
          break;
        case 2:
          handleError(
            12
            /* ParseErrorCode.UnexpectedEndOfString */
          );
          break;
        case 6:
          handleError(
            16
            /* ParseErrorCode.InvalidCharacter */
          );
          break;
      }
      switch (token) {
        case 12:
        case 13:
          if (disallowComments) {
            handleError(
              10
              /* ParseErrorCode.InvalidCommentToken */
            );
          } else {
            onComment();
          }
          break;
        case 16:
          handleError(
            1
            /* ParseErrorCode.InvalidSymbol */
          );
          break;
        case 15:
        case 14:
          break;
        default:
          return token;
      }
    }
  }
  function handleError(error, skipUntilAfter = [], skipUntil = []) {
    onError(error);
    if (skipUntilAfter.length + skipUntil.length > 0) {
      let token = _scanner.getToken();
      while (token !== 17) {
        if (skipUntilAfter.indexOf(token) !== -1) {
          scanNext();
          break;
        } else if (skipUntil.indexOf(token) !== -1) {
          break;
        }
        token = scanNext();
      }
    }
  }
  function parseString(isValue) {
    const value = _scanner.getTokenValue();
    if (isValue) {
      onLiteralValue(value);
    } else {
      onObjectProperty(value);
      _jsonPath.push(value);
    }
    scanNext();
    return true;
  }
  function parseLiteral() {
    switch (_scanner.getToken()) {
      case 11:
        const tokenValue = _scanner.getTokenValue();
        let value = Number(tokenValue);
        if (isNaN(value)) {
          handleError(
            2
            /* ParseErrorCode.InvalidNumberFormat */
          );
          value = 0;
        }
        onLiteralValue(value);
        break;
      case 7:
        onLiteralValue(null);
        break;
      case 8:
        onLiteralValue(true);
        break;
      case 9:
        onLiteralValue(false);
        break;
      default:
        return false;
    }
    scanNext();
    return true;
  }
  function parseProperty() {
    if (_scanner.getToken() !== 10) {
      handleError(3, [], [
        2,
        5
        /* SyntaxKind.CommaToken */
      ]);
      return false;
    }
    parseString(false);
    if (_scanner.getToken() === 6) {
      onSeparator(":");
      scanNext();
      if (!parseValue()) {
        handleError(4, [], [
          2,
          5
          /* SyntaxKind.CommaToken */
        ]);
      }
    } else {
      handleError(5, [], [
        2,
        5
        /* SyntaxKind.CommaToken */
      ]);
    }
    _jsonPath.pop();
    return true;
  }
  function parseObject2() {
    onObjectBegin();
    scanNext();
    let needsComma = false;
    while (_scanner.getToken() !== 2 && _scanner.getToken() !== 17) {
      if (_scanner.getToken() === 5) {
        if (!needsComma) {
          handleError(4, [], []);
        }
        onSeparator(",");
        scanNext();
        if (_scanner.getToken() === 2 && allowTrailingComma) {
          break;
        }
      } else if (needsComma) {
        handleError(6, [], []);
      }
      if (!parseProperty()) {
        handleError(4, [], [
          2,
          5
          /* SyntaxKind.CommaToken */
        ]);
      }
      needsComma = true;
    }
    onObjectEnd();
    if (_scanner.getToken() !== 2) {
      handleError(7, [
        2
        /* SyntaxKind.CloseBraceToken */
      ], []);
    } else {
      scanNext();
    }
    return true;
  }
  function parseArray() {
    onArrayBegin();
    scanNext();
    let isFirstElement = true;
    let needsComma = false;
    while (_scanner.getToken() !== 4 && _scanner.getToken() !== 17) {
      if (_scanner.getToken() === 5) {
        if (!needsComma) {
          handleError(4, [], []);
        }
        onSeparator(",");
        scanNext();
        if (_scanner.getToken() === 4 && allowTrailingComma) {
          break;
        }
      } else if (needsComma) {
        handleError(6, [], []);
      }
      if (isFirstElement) {
        _jsonPath.push(0);
        isFirstElement = false;
      } else {
        _jsonPath[_jsonPath.length - 1]++;
      }
      if (!parseValue()) {
        handleError(4, [], [
          4,
          5
          /* SyntaxKind.CommaToken */
        ]);
      }
      needsComma = true;
    }
    onArrayEnd();
    if (!isFirstElement) {
      _jsonPath.pop();
    }
    if (_scanner.getToken() !== 4) {
      handleError(8, [
        4
        /* SyntaxKind.CloseBracketToken */
      ], []);
    } else {
      scanNext();
    }
    return true;
  }
  function parseValue() {
    switch (_scanner.getToken()) {
      case 3:
        return parseArray();
      case 1:
        return parseObject2();
      case 10:
        return parseString(true);
      default:
        return parseLiteral();
    }
  }
  scanNext();
  if (_scanner.getToken() === 17) {
    if (options.allowEmptyContent) {
      return true;
    }
    handleError(4, [], []);
    return false;
  }
  if (!parseValue()) {
    handleError(4, [], []);
    return false;
  }
  if (_scanner.getToken() !== 17) {
    handleError(9, [], []);
  }
  return true;
}
function stripComments(text4, replaceCh) {
  let _scanner = createScanner(text4), parts = [], kind, offset = 0, pos;
  do {
    pos = _scanner.getPosition();
    kind = _scanner.scan();
    switch (kind) {
      case 12:
      case 13:
      case 17:
        if (offset !== pos) {
          parts.push(text4.substring(offset, pos));
        }
        if (replaceCh !== void 0) {
          parts.push(_scanner.getTokenValue().replace(/[^\r\n]/g, replaceCh));
        }
        offset = _scanner.getPosition();
        break;
    }
  } while (kind !== 17);
  return parts.join("");
}
function getNodeType(value) {
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "number":
      return "number";
    case "string":
      return "string";
    case "object": {
      if (!value) {
        return "null";
      } else if (Array.isArray(value)) {
        return "array";
      }
      return "object";
    }
    default:
      return "null";
  }
}
var ParseOptions;
var init_parser = __esm({
  "node_modules/jsonc-parser/lib/esm/impl/parser.js"() {
    "use strict";
    init_scanner();
    (function(ParseOptions2) {
      ParseOptions2.DEFAULT = {
        allowTrailingComma: false
      };
    })(ParseOptions || (ParseOptions = {}));
  }
});

// node_modules/jsonc-parser/lib/esm/impl/edit.js
function setProperty(text4, originalPath, value, options) {
  const path = originalPath.slice();
  const errors = [];
  const root = parseTree(text4, errors);
  let parent = void 0;
  let lastSegment = void 0;
  while (path.length > 0) {
    lastSegment = path.pop();
    parent = findNodeAtLocation(root, path);
    if (parent === void 0 && value !== void 0) {
      if (typeof lastSegment === "string") {
        value = { [lastSegment]: value };
      } else {
        value = [value];
      }
    } else {
      break;
    }
  }
  if (!parent) {
    if (value === void 0) {
      throw new Error("Can not delete in empty document");
    }
    return withFormatting(text4, { offset: root ? root.offset : 0, length: root ? root.length : 0, content: JSON.stringify(value) }, options);
  } else if (parent.type === "object" && typeof lastSegment === "string" && Array.isArray(parent.children)) {
    const existing = findNodeAtLocation(parent, [lastSegment]);
    if (existing !== void 0) {
      if (value === void 0) {
        if (!existing.parent) {
          throw new Error("Malformed AST");
        }
        const propertyIndex = parent.children.indexOf(existing.parent);
        let removeBegin;
        let removeEnd = existing.parent.offset + existing.parent.length;
        if (propertyIndex > 0) {
          let previous = parent.children[propertyIndex - 1];
          removeBegin = previous.offset + previous.length;
        } else {
          removeBegin = parent.offset + 1;
          if (parent.children.length > 1) {
            let next = parent.children[1];
            removeEnd = next.offset;
          }
        }
        return withFormatting(text4, { offset: removeBegin, length: removeEnd - removeBegin, content: "" }, options);
      } else {
        return withFormatting(text4, { offset: existing.offset, length: existing.length, content: JSON.stringify(value) }, options);
      }
    } else {
      if (value === void 0) {
        return [];
      }
      const newProperty = `${JSON.stringify(lastSegment)}: ${JSON.stringify(value)}`;
      const index = options.getInsertionIndex ? options.getInsertionIndex(parent.children.map((p) => p.children[0].value)) : parent.children.length;
      let edit;
      if (index > 0) {
        let previous = parent.children[index - 1];
        edit = { offset: previous.offset + previous.length, length: 0, content: "," + newProperty };
      } else if (parent.children.length === 0) {
        edit = { offset: parent.offset + 1, length: 0, content: newProperty };
      } else {
        edit = { offset: parent.offset + 1, length: 0, content: newProperty + "," };
      }
      return withFormatting(text4, edit, options);
    }
  } else if (parent.type === "array" && typeof lastSegment === "number" && Array.isArray(parent.children)) {
    const insertIndex = lastSegment;
    if (insertIndex === -1) {
      const newProperty = `${JSON.stringify(value)}`;
      let edit;
      if (parent.children.length === 0) {
        edit = { offset: parent.offset + 1, length: 0, content: newProperty };
      } else {
        const previous = parent.children[parent.children.length - 1];
        edit = { offset: previous.offset + previous.length, length: 0, content: "," + newProperty };
      }
      return withFormatting(text4, edit, options);
    } else if (value === void 0 && parent.children.length >= 0) {
      const removalIndex = lastSegment;
      const toRemove = parent.children[removalIndex];
      let edit;
      if (parent.children.length === 1) {
        edit = { offset: parent.offset + 1, length: parent.length - 2, content: "" };
      } else if (parent.children.length - 1 === removalIndex) {
        let previous = parent.children[removalIndex - 1];
        let offset = previous.offset + previous.length;
        let parentEndOffset = parent.offset + parent.length;
        edit = { offset, length: parentEndOffset - 2 - offset, content: "" };
      } else {
        edit = { offset: toRemove.offset, length: parent.children[removalIndex + 1].offset - toRemove.offset, content: "" };
      }
      return withFormatting(text4, edit, options);
    } else if (value !== void 0) {
      let edit;
      const newProperty = `${JSON.stringify(value)}`;
      if (!options.isArrayInsertion && parent.children.length > lastSegment) {
        const toModify = parent.children[lastSegment];
        edit = { offset: toModify.offset, length: toModify.length, content: newProperty };
      } else if (parent.children.length === 0 || lastSegment === 0) {
        edit = { offset: parent.offset + 1, length: 0, content: parent.children.length === 0 ? newProperty : newProperty + "," };
      } else {
        const index = lastSegment > parent.children.length ? parent.children.length : lastSegment;
        const previous = parent.children[index - 1];
        edit = { offset: previous.offset + previous.length, length: 0, content: "," + newProperty };
      }
      return withFormatting(text4, edit, options);
    } else {
      throw new Error(`Can not ${value === void 0 ? "remove" : options.isArrayInsertion ? "insert" : "modify"} Array index ${insertIndex} as length is not sufficient`);
    }
  } else {
    throw new Error(`Can not add ${typeof lastSegment !== "number" ? "index" : "property"} to parent of type ${parent.type}`);
  }
}
function withFormatting(text4, edit, options) {
  if (!options.formattingOptions) {
    return [edit];
  }
  let newText = applyEdit(text4, edit);
  let begin2 = edit.offset;
  let end = edit.offset + edit.content.length;
  if (edit.length === 0 || edit.content.length === 0) {
    while (begin2 > 0 && !isEOL(newText, begin2 - 1)) {
      begin2--;
    }
    while (end < newText.length && !isEOL(newText, end)) {
      end++;
    }
  }
  const edits = format(newText, { offset: begin2, length: end - begin2 }, { ...options.formattingOptions, keepLines: false });
  for (let i = edits.length - 1; i >= 0; i--) {
    const edit2 = edits[i];
    newText = applyEdit(newText, edit2);
    begin2 = Math.min(begin2, edit2.offset);
    end = Math.max(end, edit2.offset + edit2.length);
    end += edit2.content.length - edit2.length;
  }
  const editLength = text4.length - (newText.length - end) - begin2;
  return [{ offset: begin2, length: editLength, content: newText.substring(begin2, end) }];
}
function applyEdit(text4, edit) {
  return text4.substring(0, edit.offset) + edit.content + text4.substring(edit.offset + edit.length);
}
var init_edit = __esm({
  "node_modules/jsonc-parser/lib/esm/impl/edit.js"() {
    "use strict";
    init_format();
    init_parser();
  }
});

// node_modules/jsonc-parser/lib/esm/main.js
var main_exports = {};
__export(main_exports, {
  ParseErrorCode: () => ParseErrorCode,
  ScanError: () => ScanError,
  SyntaxKind: () => SyntaxKind,
  applyEdits: () => applyEdits,
  createScanner: () => createScanner2,
  findNodeAtLocation: () => findNodeAtLocation2,
  findNodeAtOffset: () => findNodeAtOffset2,
  format: () => format2,
  getLocation: () => getLocation2,
  getNodePath: () => getNodePath2,
  getNodeValue: () => getNodeValue2,
  modify: () => modify,
  parse: () => parse2,
  parseTree: () => parseTree2,
  printParseErrorCode: () => printParseErrorCode,
  stripComments: () => stripComments2,
  visit: () => visit2
});
function printParseErrorCode(code) {
  switch (code) {
    case 1:
      return "InvalidSymbol";
    case 2:
      return "InvalidNumberFormat";
    case 3:
      return "PropertyNameExpected";
    case 4:
      return "ValueExpected";
    case 5:
      return "ColonExpected";
    case 6:
      return "CommaExpected";
    case 7:
      return "CloseBraceExpected";
    case 8:
      return "CloseBracketExpected";
    case 9:
      return "EndOfFileExpected";
    case 10:
      return "InvalidCommentToken";
    case 11:
      return "UnexpectedEndOfComment";
    case 12:
      return "UnexpectedEndOfString";
    case 13:
      return "UnexpectedEndOfNumber";
    case 14:
      return "InvalidUnicode";
    case 15:
      return "InvalidEscapeCharacter";
    case 16:
      return "InvalidCharacter";
  }
  return "<unknown ParseErrorCode>";
}
function format2(documentText, range, options) {
  return format(documentText, range, options);
}
function modify(text4, path, value, options) {
  return setProperty(text4, path, value, options);
}
function applyEdits(text4, edits) {
  let sortedEdits = edits.slice(0).sort((a, b) => {
    const diff = a.offset - b.offset;
    if (diff === 0) {
      return a.length - b.length;
    }
    return diff;
  });
  let lastModifiedOffset = text4.length;
  for (let i = sortedEdits.length - 1; i >= 0; i--) {
    let e = sortedEdits[i];
    if (e.offset + e.length <= lastModifiedOffset) {
      text4 = applyEdit(text4, e);
    } else {
      throw new Error("Overlapping edit");
    }
    lastModifiedOffset = e.offset;
  }
  return text4;
}
var createScanner2, ScanError, SyntaxKind, getLocation2, parse2, parseTree2, findNodeAtLocation2, findNodeAtOffset2, getNodePath2, getNodeValue2, visit2, stripComments2, ParseErrorCode;
var init_main = __esm({
  "node_modules/jsonc-parser/lib/esm/main.js"() {
    "use strict";
    init_format();
    init_edit();
    init_scanner();
    init_parser();
    createScanner2 = createScanner;
    (function(ScanError2) {
      ScanError2[ScanError2["None"] = 0] = "None";
      ScanError2[ScanError2["UnexpectedEndOfComment"] = 1] = "UnexpectedEndOfComment";
      ScanError2[ScanError2["UnexpectedEndOfString"] = 2] = "UnexpectedEndOfString";
      ScanError2[ScanError2["UnexpectedEndOfNumber"] = 3] = "UnexpectedEndOfNumber";
      ScanError2[ScanError2["InvalidUnicode"] = 4] = "InvalidUnicode";
      ScanError2[ScanError2["InvalidEscapeCharacter"] = 5] = "InvalidEscapeCharacter";
      ScanError2[ScanError2["InvalidCharacter"] = 6] = "InvalidCharacter";
    })(ScanError || (ScanError = {}));
    (function(SyntaxKind2) {
      SyntaxKind2[SyntaxKind2["OpenBraceToken"] = 1] = "OpenBraceToken";
      SyntaxKind2[SyntaxKind2["CloseBraceToken"] = 2] = "CloseBraceToken";
      SyntaxKind2[SyntaxKind2["OpenBracketToken"] = 3] = "OpenBracketToken";
      SyntaxKind2[SyntaxKind2["CloseBracketToken"] = 4] = "CloseBracketToken";
      SyntaxKind2[SyntaxKind2["CommaToken"] = 5] = "CommaToken";
      SyntaxKind2[SyntaxKind2["ColonToken"] = 6] = "ColonToken";
      SyntaxKind2[SyntaxKind2["NullKeyword"] = 7] = "NullKeyword";
      SyntaxKind2[SyntaxKind2["TrueKeyword"] = 8] = "TrueKeyword";
      SyntaxKind2[SyntaxKind2["FalseKeyword"] = 9] = "FalseKeyword";
      SyntaxKind2[SyntaxKind2["StringLiteral"] = 10] = "StringLiteral";
      SyntaxKind2[SyntaxKind2["NumericLiteral"] = 11] = "NumericLiteral";
      SyntaxKind2[SyntaxKind2["LineCommentTrivia"] = 12] = "LineCommentTrivia";
      SyntaxKind2[SyntaxKind2["BlockCommentTrivia"] = 13] = "BlockCommentTrivia";
      SyntaxKind2[SyntaxKind2["LineBreakTrivia"] = 14] = "LineBreakTrivia";
      SyntaxKind2[SyntaxKind2["Trivia"] = 15] = "Trivia";
      SyntaxKind2[SyntaxKind2["Unknown"] = 16] = "Unknown";
      SyntaxKind2[SyntaxKind2["EOF"] = 17] = "EOF";
    })(SyntaxKind || (SyntaxKind = {}));
    getLocation2 = getLocation;
    parse2 = parse;
    parseTree2 = parseTree;
    findNodeAtLocation2 = findNodeAtLocation;
    findNodeAtOffset2 = findNodeAtOffset;
    getNodePath2 = getNodePath;
    getNodeValue2 = getNodeValue;
    visit2 = visit;
    stripComments2 = stripComments;
    (function(ParseErrorCode2) {
      ParseErrorCode2[ParseErrorCode2["InvalidSymbol"] = 1] = "InvalidSymbol";
      ParseErrorCode2[ParseErrorCode2["InvalidNumberFormat"] = 2] = "InvalidNumberFormat";
      ParseErrorCode2[ParseErrorCode2["PropertyNameExpected"] = 3] = "PropertyNameExpected";
      ParseErrorCode2[ParseErrorCode2["ValueExpected"] = 4] = "ValueExpected";
      ParseErrorCode2[ParseErrorCode2["ColonExpected"] = 5] = "ColonExpected";
      ParseErrorCode2[ParseErrorCode2["CommaExpected"] = 6] = "CommaExpected";
      ParseErrorCode2[ParseErrorCode2["CloseBraceExpected"] = 7] = "CloseBraceExpected";
      ParseErrorCode2[ParseErrorCode2["CloseBracketExpected"] = 8] = "CloseBracketExpected";
      ParseErrorCode2[ParseErrorCode2["EndOfFileExpected"] = 9] = "EndOfFileExpected";
      ParseErrorCode2[ParseErrorCode2["InvalidCommentToken"] = 10] = "InvalidCommentToken";
      ParseErrorCode2[ParseErrorCode2["UnexpectedEndOfComment"] = 11] = "UnexpectedEndOfComment";
      ParseErrorCode2[ParseErrorCode2["UnexpectedEndOfString"] = 12] = "UnexpectedEndOfString";
      ParseErrorCode2[ParseErrorCode2["UnexpectedEndOfNumber"] = 13] = "UnexpectedEndOfNumber";
      ParseErrorCode2[ParseErrorCode2["InvalidUnicode"] = 14] = "InvalidUnicode";
      ParseErrorCode2[ParseErrorCode2["InvalidEscapeCharacter"] = 15] = "InvalidEscapeCharacter";
      ParseErrorCode2[ParseErrorCode2["InvalidCharacter"] = 16] = "InvalidCharacter";
    })(ParseErrorCode || (ParseErrorCode = {}));
  }
});

// src/hooks/start.ts
var start_exports = {};
__export(start_exports, {
  startLoop: () => startLoop
});
module.exports = __toCommonJS(start_exports);
var import_node_crypto5 = require("node:crypto");
var import_node_path28 = require("node:path");
var import_promises5 = require("node:timers/promises");

// src/config/write.ts
var import_node_fs2 = require("node:fs");
var import_node_path2 = require("node:path");

// src/errors.ts
var UserError = class extends Error {
  what;
  why;
  fix;
  constructor(what, why, fix, options) {
    super(`${what}: ${why}`, options);
    this.name = "UserError";
    this.what = what;
    this.why = why;
    this.fix = fix;
  }
};
var DISK_TROUBLE = {
  ENOSPC: ["the disk is full", "Make room on the disk."],
  EDQUOT: ["your share of the disk is used up", "Make room on the disk."],
  EFBIG: ["the file is as large as it may be", "Allow larger files."],
  EROFS: ["the disk is read-only", "Make it writable."],
  EIO: ["the disk fails", "Look after the disk."]
};
function diskError(what, error, path) {
  const [why, fix] = DISK_TROUBLE[codeOf(error) ?? ""] ?? [];
  if (why === void 0 || fix === void 0) return void 0;
  return new UserError(what, path === void 0 ? `${why} (${messageOf(error)})` : `${why} (${path})`, fix, {
    cause: error
  });
}
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
function codeOf(error) {
  if (typeof error !== "object" || error === null || !("code" in error)) return void 0;
  return typeof error.code === "string" ? error.code : void 0;
}

// src/config/load.ts
var import_node_path = require("node:path");

// src/config/did-you-mean.ts
var LONGEST = 64;
function didYouMean(word2, known3) {
  if (word2 === "" || word2.length > LONGEST) return void 0;
  const wanted = word2.toLowerCase();
  const near = known3.map((name2) => ({ name: name2, distance: distance(wanted, name2.toLowerCase()) })).sort((a, b) => a.distance - b.distance)[0];
  if (near !== void 0 && near.distance <= Math.max(1, Math.floor(word2.length / 3))) return near.name;
  return wanted.length < 4 ? void 0 : known3.find((name2) => name2.toLowerCase().includes(wanted));
}
function distance(a, b) {
  let before = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(substituted, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

// src/config/locate.ts
var CAUSES = {
  InvalidCommentToken: ["here is a comment, and JSON has none", "Remove the comment."],
  CommaExpected: ["a comma is missing before this place", "Put a comma after the value before it."],
  ColonExpected: ["a colon is missing here", "Put a colon between the name and its value."],
  PropertyNameExpected: [
    "a name in double quotes is missing here",
    "Write the name in double quotes, or remove the comma before this place if it is the last."
  ],
  ValueExpected: [
    "a value is missing here",
    "Write the value, or remove the comma before this place if it is the last."
  ],
  CloseBraceExpected: ["a closing } is missing", "Put a } where the object ends."],
  CloseBracketExpected: ["a closing ] is missing", "Put a ] where the list ends."],
  EndOfFileExpected: [
    "there is more text after the end of the settings",
    "Remove what stands after the last }."
  ],
  UnexpectedEndOfString: ["a closing double quote is missing", 'Put a " where the text ends.'],
  InvalidEscapeCharacter: [
    "a backslash stands before a character that needs none",
    "Write \\\\ for a backslash."
  ],
  InvalidCharacter: ["a text holds a control character", "Write \\n for a line break and \\t for a tab."],
  InvalidSymbol: [
    "this is nothing that JSON knows",
    "Put names and texts in double quotes; other values are numbers, true, false and null."
  ]
};
async function explainBadJson(text4) {
  if (text4.trim() === "") {
    return { why: "the file is empty", fix: "Write {} into it, or remove it.", at: void 0 };
  }
  const { visit: visit3, printParseErrorCode: printParseErrorCode2 } = await Promise.resolve().then(() => (init_main(), main_exports));
  let first;
  try {
    const onError = (error, offset) => {
      first ??= { code: printParseErrorCode2(error), offset };
    };
    visit3(text4, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch {
  }
  const [why, fix] = CAUSES[first?.code ?? ""] ?? ["it cannot be read here", "Mend this place."];
  return { why, fix, at: first === void 0 ? void 0 : placeAt(text4, first.offset) };
}
async function locatorOf(text4) {
  const { parseTree: parseTree3 } = await Promise.resolve().then(() => (init_main(), main_exports));
  let root;
  try {
    root = parseTree3(text4);
  } catch {
  }
  return {
    find(path, part) {
      let node = root;
      for (const [depth, step] of path.entries()) {
        const child = typeof step === "number" ? node?.children?.[step] : node?.children?.findLast((property) => property.children?.[0]?.value === step);
        const inside = typeof step === "number" ? child : child?.children?.[1];
        const isLast = depth === path.length - 1;
        node = isLast && part === "key" && typeof step === "string" ? child?.children?.[0] : inside;
      }
      return node === void 0 ? void 0 : placeAt(text4, node.offset);
    }
  };
}
function placeAt(text4, offset) {
  const before = text4.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n"), offset };
}

// src/redact.ts
var HIDDEN = "[redacted]";
var SECRET_ENDING = /(?:(?:api|access|auth|signing|encryption)keys?|token|secrets?|credentials?|authorization|cookie|[a-z]pwd)$/;
var SECRET_INSIDE = /password|passwd|passphrase|privatekey|secretkey|secretaccess|clientsecret/;
var LONGEST_NAME = 200;
var PEM = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;
var NAME = /(?<![\w.-])([\w.-]+)(\\?["']?\s{0,40}(?:[:=,]\s{0,40})?)/g;
var SCHEME = /(?:Bearer|Basic|Digest|Token|ApiKey)\s{1,8}/iy;
var VALUE = /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*|\\"[^"\\\n]*(?:\\[^"\n][^"\\\n]*)*|'[^'\n]*|`[^`\n]*|[^\s"'`&;]+/y;
var NO_SECRET = /^(?:true|false|null|undefined)$/;
var URL_USER = /:\/\/([^\s/?#"'`<>\\]*)@/g;
var BEARER = /\b(Bearer|Basic)(\s{1,8})[\w.~+/=-]{12,}/gi;
var TOKENS = new RegExp(
  [
    "(?<![A-Za-z0-9])sk-(?=[\\w-]{0,200}\\d)[\\w-]{12,}",
    // OpenAI, Anthropic
    "(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{16,}",
    "(?<![A-Za-z0-9])github_pat_\\w{16,}",
    "(?<![A-Za-z0-9])glpat-[\\w-]{16,}",
    "(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}",
    "(?<![A-Za-z0-9])xox[abeoprs]-[\\w-]{10,}",
    "(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{12,}",
    "(?<![A-Za-z0-9])AIza[\\w-]{30,}",
    "(?<![\\w-])eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]*"
    // JWT
  ].join("|"),
  "g"
);
function redact(text4) {
  return redactNamed(text4.replace(PEM, HIDDEN)).replace(
    URL_USER,
    (whole, user) => user.includes(":") || user.length > 16 ? `://${HIDDEN}@` : whole
  ).replace(BEARER, (_, scheme, space) => `${scheme}${space}${HIDDEN}`).replace(TOKENS, HIDDEN);
}
function isSecretName(name2) {
  if (name2.length > LONGEST_NAME) return false;
  const letters = name2.toLowerCase().replace(/[_.-]/g, "");
  return SECRET_ENDING.test(letters) || SECRET_INSIDE.test(letters);
}
function redactNamed(text4) {
  const parts = [];
  let done = 0;
  NAME.lastIndex = 0;
  for (let match = NAME.exec(text4); match !== null; match = NAME.exec(text4)) {
    const [whole, name2 = "", gap = ""] = match;
    if (!isSecretName(name2) || !leadsToValue(name2, gap)) {
      NAME.lastIndex = match.index + Math.max(1, name2.length);
      continue;
    }
    const from = valueStart(text4, match.index + whole.length);
    const value = matchAt(VALUE, text4, from);
    const open2 = /^(?:\\"|["'`])?/.exec(value)?.[0] ?? "";
    const bare = value.slice(open2.length);
    if (bare === "" || NO_SECRET.test(bare) || isFlag(name2) && bare.startsWith("--")) continue;
    parts.push(text4.slice(done, from), open2, HIDDEN);
    done = from + value.length;
    NAME.lastIndex = done;
  }
  parts.push(text4.slice(done));
  return parts.join("");
}
function isFlag(name2) {
  return name2.startsWith("-");
}
function leadsToValue(name2, gap) {
  return isFlag(name2) ? /[\s:=,]/.test(gap) : /[:=]/.test(gap);
}
function valueStart(text4, from) {
  return from + matchAt(SCHEME, text4, from).length;
}
function matchAt(pattern, text4, from) {
  pattern.lastIndex = from;
  return pattern.exec(text4)?.[0] ?? "";
}

// src/config/say.ts
var INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
var SHORT = { "\n": "\\n", "\r": "\\r", "	": "\\t" };
function visible(text4) {
  return text4.replace(
    INVISIBLE,
    (char) => SHORT[char] ?? `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`
  );
}
function shorten(text4, max) {
  if (text4.length <= max) return text4;
  return `${text4.slice(0, max).replace(/[\ud800-\udbff]$/, "")}\u2026`;
}
function inQuotes(text4) {
  return `"${visible(shorten(redact(text4.slice(0, 1e3)), 60))}"`;
}
function describeValue(value) {
  if (typeof value === "string") return value === "" ? "an empty text" : `the text ${inQuotes(value)}`;
  if (Array.isArray(value)) return "a list";
  if (value !== null && typeof value === "object") return "an object";
  return String(value);
}
function dotted(path) {
  return path.map(
    (part, index) => typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${keyName(part)}`
  ).join("");
}
function keyName(key2) {
  return /^[\w$-]{1,60}$/.test(key2) ? key2 : inQuotes(key2);
}

// src/config/faults.ts
var LOCATED = 50;
function faultsOf(issues, within = []) {
  return issues.flatMap((issue) => {
    const own = (issue.path ?? []).map(
      (item) => typeof item.key === "number" ? item.key : String(item.key)
    );
    const path = [...within, ...own];
    const inside = (issue.issues ?? []).filter((one) => one.path !== void 0);
    if (issue.type === "union" && inside.length > 0) return faultsOf(inside, path);
    const word2 = (issue.issues ?? []).find((one) => one.type === "picklist" && typeof one.input === "string");
    if (issue.type === "union" && word2 !== void 0) return faultsOf([word2], path);
    const last = issue.path?.at(-1);
    if (last?.origin === "key" && issue.expected === "never") {
      const known3 = issue.message.split(" ");
      const keys = Object.keys(last.input).filter((key2) => !known3.includes(key2));
      return keys.map((key2) => ({ kind: "unknown", path: [...path.slice(0, -1), key2], known: known3 }));
    }
    if (last?.origin === "key") return [{ kind: "missing", path }];
    const choices = Array.from(issue.expected?.matchAll(/"([^"]*)"/g) ?? [], (match) => match[1] ?? "");
    const suggestion = issue.type === "picklist" && typeof issue.input === "string" ? didYouMean(issue.input, choices) : void 0;
    return [{ kind: "bad", path, found: describeValue(issue.input), wanted: issue.message, suggestion }];
  });
}
async function faultError(file, faults, more) {
  const locator = await locatorOf(file.text);
  const placed = faults.slice(0, LOCATED).map((fault2) => {
    if (fault2.kind === "repeated") return { fault: fault2, at: fault2.at };
    const path = fault2.kind === "missing" ? fault2.path.slice(0, -1) : fault2.path;
    return { fault: fault2, at: locator.find(path, fault2.kind === "unknown" ? "key" : "value") };
  });
  placed.sort((a, b) => (a.at?.offset ?? Infinity) - (b.at?.offset ?? Infinity));
  const { fault, at } = placed[0] ?? { fault: faults[0], at: void 0 };
  const [what, why, fix] = wording(fault, place(file.name, at));
  const others = faults.length - 1 + more;
  const rest = others === 0 ? "" : `; ${others} more ${others === 1 ? "fault" : "faults"} in the settings`;
  return new UserError(what, why + rest, fix);
}
function place(name2, at) {
  return at === void 0 ? name2 : `${name2}, line ${at.line}, column ${at.column}`;
}
function wording(fault, where) {
  const key2 = dotted(fault.path);
  const parent = dotted(fault.path.slice(0, -1));
  if (key2 === "" && fault.kind === "bad") {
    return [
      `bad settings in ${where}`,
      `the file holds ${fault.found}, where ${fault.wanted} is wanted`,
      "Put the settings between { and }."
    ];
  }
  switch (fault.kind) {
    case "unknown": {
      const near = didYouMean(String(fault.path.at(-1)), fault.known);
      return [
        `unknown setting ${key2} in ${where}`,
        `${parent === "" ? "ralph" : parent} has no setting of that name`,
        near === void 0 ? `Remove it, or use one of: ${fault.known.join(", ")}.` : `Did you mean "${near}"?`
      ];
    }
    case "repeated":
      return [
        `setting ${key2} stands twice in ${where}`,
        `line ${fault.firstLine} has it already, and only one of them can count`,
        "Remove one of the two."
      ];
    case "missing":
      return [
        `missing setting ${key2} in ${where}`,
        `${parent} needs it`,
        `Add "${fault.path.at(-1)}" to ${parent}.`
      ];
    case "bad":
      return [
        `bad setting ${key2} in ${where}`,
        `it is ${fault.found}, where ${fault.wanted} is wanted`,
        fault.suggestion === void 0 ? `Give ${key2} ${fault.wanted}.` : `Did you mean "${fault.suggestion}"?`
      ];
  }
}

// src/config/merge.ts
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function deepMerge(base, local) {
  if (!isObject(base) || !isObject(local)) return local;
  const keys = /* @__PURE__ */ new Set([...Object.keys(base), ...Object.keys(local)]);
  return Object.fromEntries(
    Array.from(keys, (key2) => {
      if (!Object.hasOwn(local, key2)) return [key2, base[key2]];
      return [key2, Object.hasOwn(base, key2) ? deepMerge(base[key2], local[key2]) : local[key2]];
    })
  );
}
function leafKeys(value, prefix = "") {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(
    ([key2, item]) => isObject(item) ? leafKeys(item, `${prefix}${key2}.`) : [prefix + key2]
  );
}

// src/config/read-file.ts
var import_node_fs = require("node:fs");
var RALPH_FOLDER = ".ralph";
var LARGEST = 1024 * 1024;
function readPlainText(path, name2) {
  let fd;
  try {
    fd = (0, import_node_fs.openSync)(path, import_node_fs.constants.O_RDONLY | (import_node_fs.constants.O_NOFOLLOW ?? 0) | (import_node_fs.constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return void 0;
    if (codeOf(error) === "ELOOP") throw symlinkError(name2);
    throw new UserError(
      `cannot read ${name2}`,
      `it cannot be opened (${codeOf(error) ?? messageOf(error)})`,
      "Make the file readable, or remove it.",
      { cause: error }
    );
  }
  try {
    if (!(0, import_node_fs.fstatSync)(fd).isFile()) {
      throw new UserError(
        `cannot read ${name2}`,
        "it is not a plain file",
        "Remove it, or put a file in its place."
      );
    }
    const bytes = Buffer.alloc(LARGEST + 1);
    let size = 0;
    for (let read2 = -1; read2 !== 0 && size < bytes.length; size += read2) {
      read2 = (0, import_node_fs.readSync)(fd, bytes, size, bytes.length - size, null);
    }
    if (size > LARGEST)
      throw new UserError(`cannot read ${name2}`, "it is larger than 1 MiB", "Make it smaller.");
    return decode(bytes.subarray(0, size), name2);
  } finally {
    (0, import_node_fs.closeSync)(fd);
  }
}
function decode(bytes, name2) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UserError(`cannot read ${name2}`, "it is not UTF-8 text", "Save it as UTF-8.", { cause });
  }
}
function hasRalphFolder(path) {
  let stat;
  try {
    stat = (0, import_node_fs.lstatSync)(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw new UserError(
      `cannot read ${RALPH_FOLDER}`,
      `it cannot be looked at (${codeOf(error) ?? messageOf(error)})`,
      "Make the project folder readable.",
      { cause: error }
    );
  }
  if (stat.isSymbolicLink()) throw symlinkError(RALPH_FOLDER);
  if (!stat.isDirectory()) {
    throw new UserError(
      `${RALPH_FOLDER} is not a folder`,
      "a file of that name is in its place",
      "Move it away: ralph keeps its settings and logs there."
    );
  }
  return true;
}
function symlinkError(name2) {
  return new UserError(
    `${name2} is a symbolic link`,
    "an agent could have made it, so ralph does not follow it",
    "Put the real thing in its place."
  );
}

// src/config/repeated.ts
var TEXTS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;
function hasRepeatedKeys(text4, value) {
  let written = 0;
  for (const match of text4.matchAll(TEXTS)) if (match[1] !== void 0) written++;
  return written > countKeys(value);
}
async function repeatedKeys(text4) {
  const { parseTree: parseTree3 } = await Promise.resolve().then(() => (init_main(), main_exports));
  try {
    const root = parseTree3(text4);
    return root === void 0 ? [] : Array.from(repeatedIn(root, [], text4));
  } catch {
    return [];
  }
}
function* repeatedIn(node, path, text4) {
  const first = /* @__PURE__ */ new Map();
  for (const [index, child] of (node.children ?? []).entries()) {
    if (node.type !== "object") {
      yield* repeatedIn(child, [...path, index], text4);
      continue;
    }
    const [name2, inside] = child.children ?? [];
    const key2 = String(name2?.value);
    const before = first.get(key2);
    if (before === void 0) first.set(key2, child.offset);
    else {
      const firstLine = placeAt(text4, before).line;
      yield { path: [...path, key2], at: placeAt(text4, child.offset), firstLine };
    }
    if (inside !== void 0) yield* repeatedIn(inside, [...path, key2], text4);
  }
}
function countKeys(value) {
  let count3 = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== "object" || next === null) continue;
    const inside = Object.values(next);
    if (!Array.isArray(next)) count3 += inside.length;
    for (const item of inside) left.push(item);
  }
  return count3;
}

// node_modules/valibot/dist/index.mjs
var store$4;
var DEFAULT_CONFIG = {
  lang: void 0,
  message: void 0,
  abortEarly: void 0,
  abortPipeEarly: void 0
};
// @__NO_SIDE_EFFECTS__
function getGlobalConfig(config$1) {
  if (!config$1 && !store$4) return DEFAULT_CONFIG;
  return {
    lang: config$1?.lang ?? store$4?.lang,
    message: config$1?.message,
    abortEarly: config$1?.abortEarly ?? store$4?.abortEarly,
    abortPipeEarly: config$1?.abortPipeEarly ?? store$4?.abortPipeEarly
  };
}
var store$3;
// @__NO_SIDE_EFFECTS__
function getGlobalMessage(lang) {
  return store$3?.get(lang);
}
var store$2;
// @__NO_SIDE_EFFECTS__
function getSchemaMessage(lang) {
  return store$2?.get(lang);
}
var store$1;
// @__NO_SIDE_EFFECTS__
function getSpecificMessage(reference, lang) {
  return store$1?.get(reference)?.get(lang);
}
// @__NO_SIDE_EFFECTS__
function _stringify(input) {
  const type = typeof input;
  if (type === "string") return `"${input}"`;
  if (type === "number" || type === "bigint" || type === "boolean") return `${input}`;
  if (type === "object" || type === "function") return (input && Object.getPrototypeOf(input)?.constructor?.name) ?? "null";
  return type;
}
function _addIssue(context, label, dataset, config$1, other) {
  const input = other && "input" in other ? other.input : dataset.value;
  const expected = other?.expected ?? context.expects ?? null;
  const received = other?.received ?? /* @__PURE__ */ _stringify(input);
  const issue = {
    kind: context.kind,
    type: context.type,
    input,
    expected,
    received,
    message: `Invalid ${label}: ${expected ? `Expected ${expected} but r` : "R"}eceived ${received}`,
    requirement: context.requirement,
    path: other?.path,
    issues: other?.issues,
    lang: config$1.lang,
    abortEarly: config$1.abortEarly,
    abortPipeEarly: config$1.abortPipeEarly
  };
  const isSchema = context.kind === "schema";
  const message$1 = other?.message ?? context.message ?? /* @__PURE__ */ getSpecificMessage(context.reference, issue.lang) ?? (isSchema ? /* @__PURE__ */ getSchemaMessage(issue.lang) : null) ?? config$1.message ?? /* @__PURE__ */ getGlobalMessage(issue.lang);
  if (message$1 !== void 0) issue.message = typeof message$1 === "function" ? message$1(issue) : message$1;
  if (isSchema) dataset.typed = false;
  if (dataset.issues) dataset.issues.push(issue);
  else dataset.issues = [issue];
}
// @__NO_SIDE_EFFECTS__
function _isSameValueZero(value1, value2) {
  return value1 === value2 || Number.isNaN(value1) && Number.isNaN(value2);
}
// @__NO_SIDE_EFFECTS__
function _isValidObjectKey(object$1, key2) {
  return Object.prototype.hasOwnProperty.call(object$1, key2) && key2 !== "__proto__" && key2 !== "prototype" && key2 !== "constructor";
}
// @__NO_SIDE_EFFECTS__
function _joinExpects(values$1, separator) {
  const list = [...new Set(values$1)];
  if (list.length > 1) return `(${list.join(` ${separator} `)})`;
  return list[0] ?? "never";
}
function _standardSchema(schema) {
  schema["~standard"] = {
    version: 1,
    vendor: "valibot",
    validate: (value$1) => schema["~run"]({ value: value$1 }, /* @__PURE__ */ getGlobalConfig())
  };
  return schema;
}
var EMOJI_REGEX = new RegExp("^(?:[\\u{1F1E6}-\\u{1F1FF}]{2}|\\u{1F3F4}[\\u{E0061}-\\u{E007A}]{2}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{1,3}\\u{E007F}|(?:\\p{Emoji}\\uFE0F\\u20E3?|\\p{Emoji_Modifier_Base}\\p{Emoji_Modifier}?|(?![\\p{Emoji_Modifier_Base}\\u{1F1E6}-\\u{1F1FF}])\\p{Emoji_Presentation})(?:\\u200D(?:\\p{Emoji}\\uFE0F\\u20E3?|\\p{Emoji_Modifier_Base}\\p{Emoji_Modifier}?|(?![\\p{Emoji_Modifier_Base}\\u{1F1E6}-\\u{1F1FF}])\\p{Emoji_Presentation}))*)+$", "u");
var ISO_TIMESTAMP_REGEX = /^\d{4}-(?:0[1-9]|1[0-2])-(?:[12]\d|0[1-9]|3[01])[T ](?:0\d|1\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,9})?(?:Z| ?[+-](?:0\d|1\d|2[0-3])(?::?[0-5]\d)?)$/u;
// @__NO_SIDE_EFFECTS__
function check(requirement, message$1) {
  return {
    kind: "validation",
    type: "check",
    reference: check,
    async: false,
    expects: null,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement(dataset.value)) _addIssue(this, "input", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function description(description_) {
  return {
    kind: "metadata",
    type: "description",
    reference: description,
    description: description_
  };
}
// @__NO_SIDE_EFFECTS__
function finite(message$1) {
  return {
    kind: "validation",
    type: "finite",
    reference: finite,
    async: false,
    expects: null,
    requirement: Number.isFinite,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement(dataset.value)) _addIssue(this, "finite", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function isoTimestamp(message$1) {
  return {
    kind: "validation",
    type: "iso_timestamp",
    reference: isoTimestamp,
    async: false,
    expects: null,
    requirement: ISO_TIMESTAMP_REGEX,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement.test(dataset.value)) _addIssue(this, "timestamp", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function maxLength(requirement, message$1) {
  return {
    kind: "validation",
    type: "max_length",
    reference: maxLength,
    async: false,
    expects: `<=${requirement}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && dataset.value.length > this.requirement) _addIssue(this, "length", dataset, config$1, { received: `${dataset.value.length}` });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function maxValue(requirement, message$1) {
  return {
    kind: "validation",
    type: "max_value",
    reference: maxValue,
    async: false,
    expects: `<=${requirement instanceof Date ? requirement.toJSON() : /* @__PURE__ */ _stringify(requirement)}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !(dataset.value <= this.requirement)) _addIssue(this, "value", dataset, config$1, { received: dataset.value instanceof Date ? dataset.value.toJSON() : /* @__PURE__ */ _stringify(dataset.value) });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function metadata(metadata_) {
  return {
    kind: "metadata",
    type: "metadata",
    reference: metadata,
    metadata: metadata_
  };
}
// @__NO_SIDE_EFFECTS__
function minLength(requirement, message$1) {
  return {
    kind: "validation",
    type: "min_length",
    reference: minLength,
    async: false,
    expects: `>=${requirement}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && dataset.value.length < this.requirement) _addIssue(this, "length", dataset, config$1, { received: `${dataset.value.length}` });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function minValue(requirement, message$1) {
  return {
    kind: "validation",
    type: "min_value",
    reference: minValue,
    async: false,
    expects: `>=${requirement instanceof Date ? requirement.toJSON() : /* @__PURE__ */ _stringify(requirement)}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !(dataset.value >= this.requirement)) _addIssue(this, "value", dataset, config$1, { received: dataset.value instanceof Date ? dataset.value.toJSON() : /* @__PURE__ */ _stringify(dataset.value) });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function regex(requirement, message$1) {
  return {
    kind: "validation",
    type: "regex",
    reference: regex,
    async: false,
    expects: `${requirement}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement.test(dataset.value)) _addIssue(this, "format", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function safeInteger(message$1) {
  return {
    kind: "validation",
    type: "safe_integer",
    reference: safeInteger,
    async: false,
    expects: null,
    requirement: Number.isSafeInteger,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement(dataset.value)) _addIssue(this, "safe integer", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function getFallback(schema, dataset, config$1) {
  return typeof schema.fallback === "function" ? schema.fallback(dataset, config$1) : schema.fallback;
}
// @__NO_SIDE_EFFECTS__
function getDefault(schema, dataset, config$1) {
  return typeof schema.default === "function" ? schema.default(dataset, config$1) : schema.default;
}
// @__NO_SIDE_EFFECTS__
function array(item, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "array",
    reference: array,
    expects: "Array",
    async: false,
    item,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (Array.isArray(input)) {
        dataset.typed = true;
        dataset.value = [];
        for (let key2 = 0; key2 < input.length; key2++) {
          const value$1 = input[key2];
          const itemDataset = this.item["~run"]({ value: value$1 }, config$1);
          if (itemDataset.issues) {
            const pathItem = {
              type: "array",
              origin: "value",
              input,
              key: key2,
              value: value$1
            };
            for (const issue of itemDataset.issues) {
              if (issue.path) issue.path.unshift(pathItem);
              else issue.path = [pathItem];
              dataset.issues?.push(issue);
            }
            if (!dataset.issues) dataset.issues = itemDataset.issues;
            if (config$1.abortEarly) {
              dataset.typed = false;
              break;
            }
          }
          if (!itemDataset.typed) dataset.typed = false;
          dataset.value.push(itemDataset.value);
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function boolean(message$1) {
  return _standardSchema({
    kind: "schema",
    type: "boolean",
    reference: boolean,
    expects: "boolean",
    async: false,
    message: message$1,
    "~run"(dataset, config$1) {
      if (typeof dataset.value === "boolean") dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function exactOptional(wrapped, default_) {
  return _standardSchema({
    kind: "schema",
    type: "exact_optional",
    reference: exactOptional,
    expects: wrapped.expects,
    async: false,
    wrapped,
    default: default_,
    "~run"(dataset, config$1) {
      return this.wrapped["~run"](dataset, config$1);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function literal(literal_, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "literal",
    reference: literal,
    expects: /* @__PURE__ */ _stringify(literal_),
    async: false,
    literal: literal_,
    message: message$1,
    "~run"(dataset, config$1) {
      if (/* @__PURE__ */ _isSameValueZero(dataset.value, this.literal)) dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function looseObject(entries$1, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "loose_object",
    reference: looseObject,
    expects: "Object",
    async: false,
    entries: entries$1,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (input && typeof input === "object") {
        dataset.typed = true;
        dataset.value = {};
        for (const key2 in this.entries) {
          const valueSchema = this.entries[key2];
          if (key2 in input || (valueSchema.type === "exact_optional" || valueSchema.type === "optional" || valueSchema.type === "nullish") && valueSchema.default !== void 0) {
            const value$1 = key2 in input ? input[key2] : /* @__PURE__ */ getDefault(valueSchema);
            const valueDataset = valueSchema["~run"]({ value: value$1 }, config$1);
            if (valueDataset.issues) {
              const pathItem = {
                type: "object",
                origin: "value",
                input,
                key: key2,
                value: value$1
              };
              for (const issue of valueDataset.issues) {
                if (issue.path) issue.path.unshift(pathItem);
                else issue.path = [pathItem];
                dataset.issues?.push(issue);
              }
              if (!dataset.issues) dataset.issues = valueDataset.issues;
              if (config$1.abortEarly) {
                dataset.typed = false;
                break;
              }
            }
            if (!valueDataset.typed) dataset.typed = false;
            dataset.value[key2] = valueDataset.value;
          } else if (valueSchema.fallback !== void 0) dataset.value[key2] = /* @__PURE__ */ getFallback(valueSchema);
          else if (valueSchema.type !== "exact_optional" && valueSchema.type !== "optional" && valueSchema.type !== "nullish") {
            _addIssue(this, "key", dataset, config$1, {
              input: void 0,
              expected: `"${key2}"`,
              path: [{
                type: "object",
                origin: "key",
                input,
                key: key2,
                value: input[key2]
              }]
            });
            if (config$1.abortEarly) break;
          }
        }
        if (!dataset.issues || !config$1.abortEarly) {
          for (const key2 in input) if (/* @__PURE__ */ _isValidObjectKey(input, key2) && !Object.prototype.hasOwnProperty.call(this.entries, key2)) dataset.value[key2] = input[key2];
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function nullable(wrapped, default_) {
  return _standardSchema({
    kind: "schema",
    type: "nullable",
    reference: nullable,
    expects: `(${wrapped.expects} | null)`,
    async: false,
    wrapped,
    default: default_,
    "~run"(dataset, config$1) {
      if (dataset.value === null) {
        if (this.default !== void 0) dataset.value = /* @__PURE__ */ getDefault(this, dataset, config$1);
        if (dataset.value === null) {
          dataset.typed = true;
          return dataset;
        }
      }
      return this.wrapped["~run"](dataset, config$1);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function number(message$1) {
  return _standardSchema({
    kind: "schema",
    type: "number",
    reference: number,
    expects: "number",
    async: false,
    message: message$1,
    "~run"(dataset, config$1) {
      if (typeof dataset.value === "number" && !isNaN(dataset.value)) dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function object(entries$1, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "object",
    reference: object,
    expects: "Object",
    async: false,
    entries: entries$1,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (input && typeof input === "object") {
        dataset.typed = true;
        dataset.value = {};
        for (const key2 in this.entries) {
          const valueSchema = this.entries[key2];
          if (key2 in input || (valueSchema.type === "exact_optional" || valueSchema.type === "optional" || valueSchema.type === "nullish") && valueSchema.default !== void 0) {
            const value$1 = key2 in input ? input[key2] : /* @__PURE__ */ getDefault(valueSchema);
            const valueDataset = valueSchema["~run"]({ value: value$1 }, config$1);
            if (valueDataset.issues) {
              const pathItem = {
                type: "object",
                origin: "value",
                input,
                key: key2,
                value: value$1
              };
              for (const issue of valueDataset.issues) {
                if (issue.path) issue.path.unshift(pathItem);
                else issue.path = [pathItem];
                dataset.issues?.push(issue);
              }
              if (!dataset.issues) dataset.issues = valueDataset.issues;
              if (config$1.abortEarly) {
                dataset.typed = false;
                break;
              }
            }
            if (!valueDataset.typed) dataset.typed = false;
            dataset.value[key2] = valueDataset.value;
          } else if (valueSchema.fallback !== void 0) dataset.value[key2] = /* @__PURE__ */ getFallback(valueSchema);
          else if (valueSchema.type !== "exact_optional" && valueSchema.type !== "optional" && valueSchema.type !== "nullish") {
            _addIssue(this, "key", dataset, config$1, {
              input: void 0,
              expected: `"${key2}"`,
              path: [{
                type: "object",
                origin: "key",
                input,
                key: key2,
                value: input[key2]
              }]
            });
            if (config$1.abortEarly) break;
          }
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function optional(wrapped, default_) {
  return _standardSchema({
    kind: "schema",
    type: "optional",
    reference: optional,
    expects: `(${wrapped.expects} | undefined)`,
    async: false,
    wrapped,
    default: default_,
    "~run"(dataset, config$1) {
      if (dataset.value === void 0) {
        if (this.default !== void 0) dataset.value = /* @__PURE__ */ getDefault(this, dataset, config$1);
        if (dataset.value === void 0) {
          dataset.typed = true;
          return dataset;
        }
      }
      return this.wrapped["~run"](dataset, config$1);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function picklist(options, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "picklist",
    reference: picklist,
    expects: /* @__PURE__ */ _joinExpects(options.map(_stringify), "|"),
    async: false,
    options,
    message: message$1,
    "~run"(dataset, config$1) {
      if (this.options.includes(dataset.value)) dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function record(key2, value$1, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "record",
    reference: record,
    expects: "Object",
    async: false,
    key: key2,
    value: value$1,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (input && typeof input === "object") {
        dataset.typed = true;
        dataset.value = {};
        for (const entryKey in input) if (/* @__PURE__ */ _isValidObjectKey(input, entryKey)) {
          const entryValue = input[entryKey];
          const keyDataset = this.key["~run"]({ value: entryKey }, config$1);
          if (keyDataset.issues) {
            const pathItem = {
              type: "object",
              origin: "key",
              input,
              key: entryKey,
              value: entryValue
            };
            for (const issue of keyDataset.issues) {
              issue.path = [pathItem];
              dataset.issues?.push(issue);
            }
            if (!dataset.issues) dataset.issues = keyDataset.issues;
            if (config$1.abortEarly) {
              dataset.typed = false;
              break;
            }
          }
          const valueDataset = this.value["~run"]({ value: entryValue }, config$1);
          if (valueDataset.issues) {
            const pathItem = {
              type: "object",
              origin: "value",
              input,
              key: entryKey,
              value: entryValue
            };
            for (const issue of valueDataset.issues) {
              if (issue.path) issue.path.unshift(pathItem);
              else issue.path = [pathItem];
              dataset.issues?.push(issue);
            }
            if (!dataset.issues) dataset.issues = valueDataset.issues;
            if (config$1.abortEarly) {
              dataset.typed = false;
              break;
            }
          }
          if (!keyDataset.typed || !valueDataset.typed) dataset.typed = false;
          if (keyDataset.typed) dataset.value[keyDataset.value] = valueDataset.value;
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function strictObject(entries$1, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "strict_object",
    reference: strictObject,
    expects: "Object",
    async: false,
    entries: entries$1,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (input && typeof input === "object") {
        dataset.typed = true;
        dataset.value = {};
        for (const key2 in this.entries) {
          const valueSchema = this.entries[key2];
          if (key2 in input || (valueSchema.type === "exact_optional" || valueSchema.type === "optional" || valueSchema.type === "nullish") && valueSchema.default !== void 0) {
            const value$1 = key2 in input ? input[key2] : /* @__PURE__ */ getDefault(valueSchema);
            const valueDataset = valueSchema["~run"]({ value: value$1 }, config$1);
            if (valueDataset.issues) {
              const pathItem = {
                type: "object",
                origin: "value",
                input,
                key: key2,
                value: value$1
              };
              for (const issue of valueDataset.issues) {
                if (issue.path) issue.path.unshift(pathItem);
                else issue.path = [pathItem];
                dataset.issues?.push(issue);
              }
              if (!dataset.issues) dataset.issues = valueDataset.issues;
              if (config$1.abortEarly) {
                dataset.typed = false;
                break;
              }
            }
            if (!valueDataset.typed) dataset.typed = false;
            dataset.value[key2] = valueDataset.value;
          } else if (valueSchema.fallback !== void 0) dataset.value[key2] = /* @__PURE__ */ getFallback(valueSchema);
          else if (valueSchema.type !== "exact_optional" && valueSchema.type !== "optional" && valueSchema.type !== "nullish") {
            _addIssue(this, "key", dataset, config$1, {
              input: void 0,
              expected: `"${key2}"`,
              path: [{
                type: "object",
                origin: "key",
                input,
                key: key2,
                value: input[key2]
              }]
            });
            if (config$1.abortEarly) break;
          }
        }
        if (!dataset.issues || !config$1.abortEarly) {
          for (const key2 in input) if (!Object.prototype.hasOwnProperty.call(this.entries, key2)) {
            _addIssue(this, "key", dataset, config$1, {
              input: key2,
              expected: "never",
              path: [{
                type: "object",
                origin: "key",
                input,
                key: key2,
                value: input[key2]
              }]
            });
            break;
          }
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function string(message$1) {
  return _standardSchema({
    kind: "schema",
    type: "string",
    reference: string,
    expects: "string",
    async: false,
    message: message$1,
    "~run"(dataset, config$1) {
      if (typeof dataset.value === "string") dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function _subIssues(datasets) {
  let issues;
  if (datasets) for (const dataset of datasets) if (issues) for (const issue of dataset.issues) issues.push(issue);
  else issues = dataset.issues;
  return issues;
}
// @__NO_SIDE_EFFECTS__
function union(options, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "union",
    reference: union,
    expects: /* @__PURE__ */ _joinExpects(options.map((option) => option.expects), "|"),
    async: false,
    options,
    message: message$1,
    "~run"(dataset, config$1) {
      let validDataset;
      let typedDatasets;
      let untypedDatasets;
      for (const schema of this.options) {
        const optionDataset = schema["~run"]({ value: dataset.value }, config$1);
        if (optionDataset.typed) if (optionDataset.issues) if (typedDatasets) typedDatasets.push(optionDataset);
        else typedDatasets = [optionDataset];
        else {
          validDataset = optionDataset;
          break;
        }
        else if (untypedDatasets) untypedDatasets.push(optionDataset);
        else untypedDatasets = [optionDataset];
      }
      if (validDataset) return validDataset;
      if (typedDatasets) {
        if (typedDatasets.length === 1) return typedDatasets[0];
        _addIssue(this, "type", dataset, config$1, { issues: /* @__PURE__ */ _subIssues(typedDatasets) });
        dataset.typed = true;
      } else if (untypedDatasets?.length === 1) return untypedDatasets[0];
      else _addIssue(this, "type", dataset, config$1, { issues: /* @__PURE__ */ _subIssues(untypedDatasets) });
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function unknown() {
  return _standardSchema({
    kind: "schema",
    type: "unknown",
    reference: unknown,
    expects: "unknown",
    async: false,
    "~run"(dataset) {
      dataset.typed = true;
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function pipe(...pipe$1) {
  return _standardSchema({
    ...pipe$1[0],
    pipe: pipe$1,
    "~run"(dataset, config$1) {
      for (const item of pipe$1) if (item.kind !== "metadata") {
        if (dataset.issues && (item.kind === "schema" || item.kind === "transformation")) {
          dataset.typed = false;
          break;
        }
        if (!dataset.issues || !config$1.abortEarly && !config$1.abortPipeEarly) dataset = item["~run"](dataset, config$1);
      }
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function safeParse(schema, input, config$1) {
  const dataset = schema["~run"]({ value: input }, /* @__PURE__ */ getGlobalConfig(config$1));
  return {
    typed: dataset.typed,
    success: !dataset.issues,
    output: dataset.value,
    issues: dataset.issues
  };
}

// src/config/defaults.ts
var DEFAULTS = {
  maximumIterations: 10,
  maximumFailures: 3,
  completionResponse: "DONE",
  claimHint: true,
  outputTruncateChars: 5e3,
  streamAgentOutput: true,
  includeIterationCountInPrompt: false,
  autonomy: "full",
  failAction: "APPEND",
  gateTimeout: "10m",
  gateTimeoutMs: 6e5,
  flaky: false,
  noProgressThreshold: 3,
  timeouts: { idle: "15m", linger: "10s" },
  timeoutsMs: { turnMs: 0, idleMs: 9e5, lingerMs: 1e4 },
  restart: { done: false, waits: false, delay: "off", max: 100, waitTimeout: "5m", pollInterval: "1s" },
  restartMs: { delayMs: 0, honoursWaits: false, childWaitMs: 3e5, pollMs: 1e3 },
  judge: { maxChars: 2e5 },
  progress: { judge: false },
  tasks: { maximumIterations: 15 },
  processes: "auto",
  baseline: { enabled: true, feedback: false },
  snapshots: true,
  contextMonitor: "runs",
  guard: { mode: "auto" },
  output: { emoji: true, color: "auto", timestamps: false, maxOutputLines: 10, maxOutputChars: 1e3 }
};
var RUN = {
  iterations: DEFAULTS.maximumIterations,
  failures: DEFAULTS.maximumFailures,
  noProgress: DEFAULTS.noProgressThreshold,
  baseline: DEFAULTS.baseline.enabled,
  waits: DEFAULTS.restart.waits,
  delayMs: DEFAULTS.restartMs.delayMs,
  durationMs: 0
};
var USUAL = {
  run: RUN,
  // A review roughly doubles what a story takes.
  tasks: { ...RUN, iterations: DEFAULTS.tasks.maximumIterations },
  // Any exit code restarts: neither failures nor a lack of progress end a supervised command.
  supervise: {
    iterations: DEFAULTS.restart.max,
    failures: 0,
    noProgress: 0,
    baseline: false,
    waits: true,
    delayMs: 1e3,
    durationMs: 0
  }
};
var START_DURATION_MS = 30 * 6e4;
var MAXIMUM_WAITS = 100;

// src/config/duration.ts
var UNITS = "(?:(\\d{1,2}(?:\\.\\d{1,3})?)h)?(?:(\\d{1,4}(?:\\.\\d{1,3})?)m)?(?:(\\d{1,6}(?:\\.\\d{1,3})?)s)?(?:(\\d{1,8})ms)?";
var DURATION_PATTERN = new RegExp(`^(?=.*[1-9])${UNITS}$`);
function parseDuration(text4) {
  const match = DURATION_PATTERN.exec(text4);
  if (match === null) return void 0;
  const [hours, minutes, seconds, millis] = match.slice(1).map((part) => Number(part ?? 0));
  return Math.round(
    (hours ?? 0) * 36e5 + (minutes ?? 0) * 6e4 + (seconds ?? 0) * 1e3 + (millis ?? 0)
  );
}

// src/config/response.ts
var RESPONSE_PATTERN = /^[^<]{0,4096}$/;
var RESPONSE_WANTED = "a text without < and of at most 4096 characters";

// src/config/schema-parts.ts
var NO_NUL = /^[^\u0000]*$/;
var NOT_BLANK = /^\s*[^\s\u0000][^\u0000]*$/;
var flag = () => boolean("true or false");
var text = () => string("a text");
var notBlank = () => pipe(string("a text that is not blank"), regex(NOT_BLANK, "a text that is not blank"));
var response = () => pipe(string(RESPONSE_WANTED), regex(RESPONSE_PATTERN, RESPONSE_WANTED));
var word = () => pipe(string("a text"), regex(NO_NUL, "a text without NUL characters"));
function wholeNumber(minimum) {
  const wanted = `a whole number of ${minimum} or more`;
  return pipe(number(wanted), safeInteger(wanted), minValue(minimum, wanted));
}
function oneOf(choices) {
  return picklist(choices, `one of ${choices.join(", ")}`);
}
var DURATION_WANTED = 'a duration such as "500ms", "5s", "10m" or "1h30m", more than 0 and less than 100h';
var duration = () => pipe(string(DURATION_WANTED), regex(DURATION_PATTERN, DURATION_WANTED));
var OFF_OR_DURATION = new RegExp(`^off$|${DURATION_PATTERN.source}`);
var OFF_WANTED = `${DURATION_WANTED}, or "off"`;
var durationOrOff = () => pipe(string(OFF_WANTED), regex(OFF_OR_DURATION, OFF_WANTED));
function key(schema, description2, fallback) {
  const help = fallback === void 0 ? { description: description2 } : { description: description2, default: fallback };
  return exactOptional(pipe(schema, metadata(help)));
}
function section(entries) {
  const known3 = Object.keys(entries).join(" ");
  return pipe(
    unknown(),
    check((input) => !Array.isArray(input), "an object"),
    strictObject(entries, (issue) => issue.expected === "never" ? known3 : "an object")
  );
}

// src/config/guard-settings.ts
var patterns = () => array(notBlank(), "a list of patterns");
var guard = section({
  mode: key(
    oneOf(["auto", "on", "off"]),
    "Whether the guard judges what the agent is about to do. `auto`: when the run is not in a sandbox.",
    DEFAULTS.guard.mode
  ),
  allow: key(
    patterns(),
    "Commands that the guard lets pass, word by word: `git push --force origin mine`, `rm -rf ../build/*`. A `*` in a word is any letters, as the last word any further words.",
    []
  ),
  deny: key(
    patterns(),
    "Commands that it never lets pass: whatever begins with these words. `npm install`, `docker *`.",
    []
  )
});

// src/config/flags.ts
function choiceFlag(name2, value, choices) {
  if (value === void 0) return void 0;
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== void 0) return { name: name2, value: chosen };
  const near = didYouMean(value, choices);
  const wanted = `one of ${choices.join(", ")}`;
  throw new UserError(
    `bad value for ${name2}`,
    `it is ${inQuotes(value)}, where ${wanted} is wanted`,
    near === void 0 ? `Give ${name2} ${wanted}.` : `Did you mean ${name2} ${near}?`
  );
}
function textFlag(name2, value) {
  if (value === void 0) return void 0;
  if (/^\s*[^\s\u0000][^\u0000]*$/.test(value)) return { name: name2, value };
  throw new UserError(
    `bad value for ${name2}`,
    "it is blank",
    `Write it after ${name2}, or leave ${name2} out.`
  );
}

// src/config/sandbox-settings.ts
var SANDBOX_KINDS = ["auto", "bubblewrap", "container", "sbx", "srt", "none"];
var NETWORK_MODES = ["none", "allowlist", "open"];
var paths = () => array(notBlank(), "a list of paths");
var HOST = /^[^\s/@]+$/;
var host = () => pipe(
  string("a host"),
  regex(HOST, "a host such as api.example.com, *.example.com or localhost:5432")
);
var NAME2 = /^[A-Za-z_][A-Za-z0-9_]*\*?$/;
var name = () => pipe(string("a name"), regex(NAME2, "the name of a variable, such as DATABASE_URL or MY_*"));
var CPUS_WANTED = "a number of CPUs, from 0.01 to 1024";
var sandbox = section({
  kind: key(
    oneOf(SANDBOX_KINDS),
    "What agents and checks are fenced in by. `auto`: the strongest that works here; `none`: nothing, with the guard on.",
    "auto"
  ),
  network: key(
    section({
      mode: key(
        oneOf(NETWORK_MODES),
        "Which hosts can be reached from inside: none, the agent's own services and those in `allow`, or all.",
        "allowlist"
      ),
      allow: key(
        array(host(), "a list of hosts"),
        "Hosts that may be reached: `registry.npmjs.org`, `*.example.com`, `localhost:5432`. Without a port: 443 and 80.",
        []
      )
    }),
    "The network inside."
  ),
  rw: key(paths(), "Folders and files besides the project that may be written. `~/` is your home.", []),
  ro: key(
    paths(),
    "What may be read although it is hidden (tools in your home), and what of the project may not be written.",
    []
  ),
  hide: key(paths(), "What is not there inside: `.env`, `secrets/`.", []),
  env: key(
    array(name(), "a list of names"),
    "Variables of your environment that go in, besides the usual ones and the agent's own: `DATABASE_URL`, `MY_*`.",
    []
  ),
  renewLogin: key(
    boolean("true or false"),
    "Whether a log-in that an agent renews inside becomes your own; otherwise you may have to log in again. Only new tokens with the same account beside them are taken, but whoever is inside could make them up.",
    true
  ),
  limits: key(
    section({
      memoryMb: key(wholeNumber(1), "Memory in MB, of an agent or a check with all that it starts."),
      processes: key(wholeNumber(1), "Processes at the same time."),
      cpus: key(
        pipe(number(CPUS_WANTED), minValue(0.01, CPUS_WANTED), maxValue(1024, CPUS_WANTED)),
        "CPUs; 0.5 is half of one."
      ),
      time: key(duration(), "How long a turn or a check may take, whatever else is said.")
    }),
    "What agents and checks may use. `ralph sandbox explain` says who keeps these limits here."
  ),
  image: key(
    notBlank(),
    "The image of a container. Without one podman shows this machine's own files, unchanged."
  )
});
function openings({ sandbox: given }) {
  const { kind, network = {}, rw = [], ro = [], env = [], image } = given ?? {};
  const list = (title, all) => all.length === 0 ? [] : [`${title}: ${all.join(", ")}`];
  return [
    ...kind === "none" ? ["sandbox: none"] : [],
    ...network.mode === "open" ? ["network: open"] : [],
    ...list("hosts that may be reached", network.allow ?? []),
    ...list("writable outside the project", rw),
    ...list("readable", ro),
    ...list("variables that go in", env),
    ...image === void 0 ? [] : [`container image: ${image}`]
  ];
}

// src/config/schema-agent.ts
var agent = section({
  command: key(
    notBlank(),
    "The agent's program, and words that always come first: claude, codex, gemini or any other."
  ),
  flags: key(
    array(word(), "a list of texts"),
    'Flags for the agent, split as a shell would: "--model opus".',
    []
  ),
  kind: key(
    oneOf(["claude", "codex", "amp", "copilot", "gemini", "qwen", "opencode", "cursor", "custom"]),
    "How the agent is driven. Inferred from the command's name when absent."
  ),
  model: key(notBlank(), "The model that the agent is asked to use."),
  autonomy: key(
    oneOf(["full", "edits", "none"]),
    "What the agent may do without asking: everything, edit files, or nothing.",
    DEFAULTS.autonomy
  ),
  inheritUserConfig: key(
    flag(),
    "false keeps your own settings, hooks and plugins out of the agent's turns: Claude Code, and Codex in a sandbox. The project's, and the log-in, stay.",
    true
  )
});
var AGENT_WANTED = 'an agent ("codex", "codex:gpt-5", or an object as for "agent")';
var standIn = union([notBlank(), agent], AGENT_WANTED);

// src/config/schema-tasks.ts
var tasks = section({
  maximumIterations: key(
    wholeNumber(1),
    "Iterations before a run on a task list gives up.",
    DEFAULTS.tasks.maximumIterations
  )
});
var review = section({
  agent: key(
    notBlank(),
    "Who reviews the stories of a task list. Absent: whoever implements them, in a fresh session."
  ),
  model: key(notBlank(), "The model that reviews.")
});

// src/config/schema-verify.ts
var verify = section({
  setup: key(
    notBlank(),
    "A shell line that `ralph verify` runs in its clean checkout before the checks: npm ci. What git ignores is not there."
  )
});

// src/config/schema.ts
var ANY_GATE = {
  failAction: key(
    oneOf(["APPEND", "PREPEND", "REPLACE"]),
    "Where a failure goes in the next prompt: after it, before it, or in its place.",
    DEFAULTS.failAction
  ),
  hint: key(text(), "Guidance for the agent when this check fails. Given word for word."),
  timeout: key(
    duration(),
    "The check has failed when it takes longer: 500ms, 5s, 10m, 1h30m.",
    DEFAULTS.gateTimeout
  ),
  flaky: key(
    flag(),
    "Run the check once more when it fails; a pass then counts, and is recorded.",
    DEFAULTS.flaky
  )
};
var guardrail = section({
  command: pipe(
    notBlank(),
    description("The check, a shell line. It passes when it exits with 0. Runs in the project folder.")
  ),
  ...ANY_GATE
});
var CRITERIA = ["test_pass", "build_success", "lint_clean", "type_check", "custom"];
var criterion = section({
  type: pipe(oneOf(CRITERIA), description("What is to be true in the end.")),
  command: key(
    notBlank(),
    "The shell line that shows it. Found in the project when absent; `custom` needs one."
  ),
  ...ANY_GATE,
  judge: key(flag(), "A judge reads the output too. `custom`: true, unless said otherwise.", false)
});
var CRITERION_WANTED = `one of ${CRITERIA.join(", ")}, or an object with such a type`;
var judge = section({
  agent: key(
    notBlank(),
    "The judge's program: claude, codex, amp or any other. Absent: whoever had the turn."
  ),
  model: key(notBlank(), "The model that the judge is asked to use."),
  maxChars: key(
    wholeNumber(1e3),
    "The most of an output that the judge is given, in characters: of a larger one its beginning and its end.",
    DEFAULTS.judge.maxChars
  )
});
var progress = section({
  judge: key(
    flag(),
    "The judge also compares each failed iteration with the one before; one that it finds no progress in counts for `noProgressThreshold`.",
    DEFAULTS.progress.judge
  )
});
var scm = section({
  command: key(notBlank(), "The version control program: git."),
  tasks: key(
    array(notBlank(), "a list of texts"),
    "What is run with it when all checks pass, in order: commit, push. An empty list switches it off."
  )
});
var timeouts = section({
  iteration: key(durationOrOff(), "An agent's turn is ended when it takes longer.", "off"),
  idle: key(durationOrOff(), "An agent that says nothing for so long is ended.", DEFAULTS.timeouts.idle),
  linger: key(
    durationOrOff(),
    "An agent that gave its result and is silent for so long without exiting is ended; its result counts.",
    DEFAULTS.timeouts.linger
  )
});
var restart = section({
  done: key(
    flag(),
    "A file DONE in the task's folder claims that the work is done. Always so for `ralph supervise`.",
    DEFAULTS.restart.done
  ),
  waits: key(
    flag(),
    "Exit code 42 or a file WAIT_WITHOUT_RESTART end the run as waiting. `ralph supervise`: true.",
    DEFAULTS.restart.waits
  ),
  delay: key(
    durationOrOff(),
    "A pause before the next turn, also after a good one. `ralph supervise`: 1s.",
    DEFAULTS.restart.delay
  ),
  max: key(
    wholeNumber(1),
    "Runs of a supervised command before `ralph supervise` gives up.",
    DEFAULTS.restart.max
  ),
  waitTimeout: key(
    durationOrOff(),
    "How long child runs are waited for when DONE is there.",
    DEFAULTS.restart.waitTimeout
  ),
  pollInterval: key(duration(), "How often they are looked at.", DEFAULTS.restart.pollInterval)
});
var baseline = section({
  enabled: key(flag(), "Run the checks once before the first iteration.", DEFAULTS.baseline.enabled),
  feedback: key(flag(), "Tell the first prompt which checks are red already.", DEFAULTS.baseline.feedback)
});
var PROTECT_WANTED = 'a list of patterns such as "test/**" or "package.json#scripts", true or false';
var pristine = section({
  enabled: key(
    flag(),
    "Run the tests as they were when the run began against the new sources too. Absent: for the criterion `test_pass`."
  ),
  tests: key(
    array(notBlank(), "a list of patterns"),
    "Which files are tests. Without it, those in folders and with names that are usual for tests."
  ),
  setup: key(
    notBlank(),
    "A shell line that installs what the tests need, such as `npm ci`. Without it, installed dependencies are linked."
  )
});
var output = section({
  emoji: key(flag(), "Emoji rather than text markers.", DEFAULTS.output.emoji),
  color: key(oneOf(["auto", "always", "never"]), "Colour on the terminal.", DEFAULTS.output.color),
  timestamps: key(flag(), "The time in front of each line.", DEFAULTS.output.timestamps),
  maxOutputLines: key(wholeNumber(0), "Lines shown of a tool's output.", DEFAULTS.output.maxOutputLines),
  maxOutputChars: key(wholeNumber(0), "Characters shown of a tool's output.", DEFAULTS.output.maxOutputChars)
});
var SettingsSchema = section({
  $schema: key(text(), "Where editors find the description of this file."),
  maximumIterations: key(wholeNumber(1), "Iterations before the run gives up.", DEFAULTS.maximumIterations),
  maximumFailures: key(
    wholeNumber(1),
    "Failed turns of the agent in a row before the run gives up.",
    DEFAULTS.maximumFailures
  ),
  noProgressThreshold: key(
    wholeNumber(0),
    "Iterations in a row without progress before the run gives up: nothing changed, or only the same failure again. 0: never.",
    DEFAULTS.noProgressThreshold
  ),
  maximumDuration: key(
    durationOrOff(),
    "How long a run may work, waits apart, before it gives up. `ralph start`: 30m.",
    "off"
  ),
  timeouts: key(timeouts, "How long an agent's turn may take."),
  processes: key(
    oneOf(["auto", "namespace", "cgroup", "group"]),
    "What holds the processes of agents and guardrails together, so that none is left behind. `auto` is the strongest that works; in a namespace of a user who is not root, `sudo` does not work.",
    DEFAULTS.processes
  ),
  sandbox: key(sandbox, "The fence around agents and checks: what they may read, write, reach and use."),
  taskDir: key(
    notBlank(),
    "The task's folder, inside the project: where DONE, WAIT_WITHOUT_RESTART and the task's messages are.",
    "."
  ),
  restart: key(restart, "What happens between two turns, and how a task's folder speaks for the agent."),
  completionResponse: key(
    response(),
    "What the agent puts in <response>\u2026</response> to say that it is done. Empty: no such claim.",
    DEFAULTS.completionResponse
  ),
  claimHint: key(flag(), "Tell the agent how to say that it is done.", DEFAULTS.claimHint),
  outputTruncateChars: key(
    wholeNumber(0),
    "Characters of a failed check's output that the next prompt quotes.",
    DEFAULTS.outputTruncateChars
  ),
  streamAgentOutput: key(flag(), "Show what the agent does while it does it.", DEFAULTS.streamAgentOutput),
  includeIterationCountInPrompt: key(
    flag(),
    'Begin each prompt with "Iteration X of Y, Z remaining."',
    DEFAULTS.includeIterationCountInPrompt
  ),
  agent: key(agent, "The coding agent that is run."),
  fallbackAgent: key(
    union([notBlank(), agent, array(standIn)], `${AGENT_WANTED}, or a list of them`),
    'Who has the turns while the agent\'s service holds it back: "codex", "codex:gpt-5", an object as for `agent`, or a list of them, in order.'
  ),
  guardrails: key(
    array(guardrail, "a list of guardrails"),
    "Checks that ralph runs after each turn of the agent. The run is proven done only when all pass.",
    []
  ),
  criteria: key(
    array(union([oneOf(CRITERIA), criterion], CRITERION_WANTED), "a list of criteria"),
    'What is to be true in the end: "test_pass", or an object with a type. With criteria no claim is needed: a run whose checks all pass is done.',
    []
  ),
  judge: key(judge, "Who reads outputs where the exit code is not enough."),
  progress: key(progress, "How the progress of a run is seen."),
  protect: key(
    union([flag(), array(notBlank())], PROTECT_WANTED),
    "Files that the agent may not change, besides the settings and what defines the guardrails: `test/**`, `package.json#scripts`, `!docs/**`. What it changes is put back, and the iteration is refused. `false`: none.",
    []
  ),
  pristine: key(pristine, "The check that old tests still pass."),
  scm: key(scm, "What is done with version control when all checks pass."),
  baseline: key(baseline, "The run of the checks before the first iteration."),
  snapshots: key(
    flag(),
    "Keep a snapshot of the files before each iteration, for `ralph rollback`, `diff`, `fork` and `bisect`.",
    DEFAULTS.snapshots
  ),
  tasks: key(tasks, "Runs on a task list (`ralph run --tasks`)."),
  review: key(review, "Who reviews the stories of a task list."),
  contextMonitor: key(
    oneOf(["runs", "always"]),
    "Where the plugin's hook tells an agent how full its context is: in the sessions of runs on a task list, or in every session in this project.",
    DEFAULTS.contextMonitor
  ),
  guard: key(guard, "What the agent may not do, where no sandbox holds it."),
  verify: key(verify, "How a receipt is checked."),
  output: key(output, "How the agent's work is shown.")
});
function checkSettings(value) {
  const result = safeParse(SettingsSchema, value, { abortPipeEarly: true });
  return result.success ? { settings: result.output } : { issues: result.issues };
}

// src/config/load.ts
var SETTINGS_FILES = [
  `${RALPH_FOLDER}/settings.json`,
  `${RALPH_FOLDER}/settings.local.json`
];
async function loadSettings(project) {
  const files = readFiles(project);
  const layers = [];
  const faulty = [];
  for (const file of files) {
    const value = await parse3(file);
    const checked = checkSettings(value);
    const repeated = hasRepeatedKeys(file.text, value) ? await repeatedFaults(file) : [];
    const faults = [...repeated, ..."issues" in checked ? faultsOf(checked.issues) : []];
    if (faults.length > 0) faulty.push({ file, faults });
    else if ("settings" in checked) layers.push({ file, settings: checked.settings });
  }
  await refuse(faulty);
  const merged = checkSettings(layers.map((layer) => layer.settings).reduce(deepMerge, {}));
  if (!("settings" in merged)) throw new Error("two valid settings files merged into an invalid one");
  const missing = missingIn(merged.settings);
  const holder = layers.findLast((layer) => layer.settings.scm !== void 0);
  if (missing.length > 0 && holder !== void 0) await refuse([{ file: holder.file, faults: missing }]);
  const sources = /* @__PURE__ */ new Map();
  for (const { file, settings } of layers) for (const key2 of leafKeys(settings)) sources.set(key2, file.name);
  return { settings: merged.settings, files, sources };
}
function readFiles(project) {
  if (!hasRalphFolder((0, import_node_path.join)(project, RALPH_FOLDER))) return [];
  return SETTINGS_FILES.flatMap((name2) => {
    const text4 = readPlainText((0, import_node_path.join)(project, name2), name2);
    return text4 === void 0 ? [] : [{ name: name2, text: text4 }];
  });
}
async function parse3(file) {
  try {
    return JSON.parse(file.text);
  } catch (cause) {
    const { why, fix, at } = await explainBadJson(file.text);
    throw new UserError(`bad JSON in ${place(file.name, at)}`, why, fix, { cause });
  }
}
async function repeatedFaults(file) {
  const found = await repeatedKeys(file.text);
  if (found.length > 0) return found.map((one) => ({ kind: "repeated", ...one }));
  return [{ kind: "bad", path: [], found: "a key twice", wanted: "each key once" }];
}
function missingIn(settings) {
  if (settings.scm === void 0) return [];
  const scm2 = settings.scm;
  const absent2 = ["command", "tasks"].filter((key2) => scm2[key2] === void 0);
  return absent2.map((key2) => ({ kind: "missing", path: ["scm", key2] }));
}
async function refuse(faulty) {
  const [first, ...others] = faulty;
  const [fault, ...rest] = first?.faults ?? [];
  if (first === void 0 || fault === void 0) return;
  const more = others.reduce((sum, { faults }) => sum + faults.length, 0);
  throw await faultError(first.file, [fault, ...rest], more);
}

// src/config/write.ts
var RALPH_GITIGNORE = `# Written by ralph. Commit settings.json; these are of this machine only.
*.log
*.tmp
prompt_*.txt
answer_*.txt
spool/
settings.local.json
.gitignore
`;
function ensureRalphFolder(project) {
  const folder = (0, import_node_path2.join)(project, RALPH_FOLDER);
  try {
    if (!hasRalphFolder(folder)) makeFolder(folder);
    (0, import_node_fs2.accessSync)(folder, import_node_fs2.constants.W_OK | import_node_fs2.constants.X_OK);
    writeIfAbsent((0, import_node_path2.join)(folder, ".gitignore"), RALPH_GITIGNORE);
  } catch (error) {
    throw unwritable(RALPH_FOLDER, error);
  }
  return folder;
}
function makeFolder(folder) {
  try {
    (0, import_node_fs2.mkdirSync)(folder, { mode: 493 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST" || !hasRalphFolder(folder)) throw error;
  }
}
function writeIfAbsent(path, text4) {
  try {
    (0, import_node_fs2.writeFileSync)(path, text4, { flag: "wx" });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}
function unwritable(name2, error) {
  if (error instanceof UserError) return error;
  return new UserError(
    `cannot write ${name2}`,
    `the project folder does not allow it (${codeOf(error) ?? messageOf(error)})`,
    "Make the folder writable for you, or run ralph in another one.",
    { cause: error }
  );
}

// src/journal/journal.ts
var import_node_fs3 = require("node:fs");
var import_promises = require("node:fs/promises");
var import_node_path3 = require("node:path");

// src/journal/state.ts
function unwritableState(what, path, error) {
  return diskError(`cannot write ${what}`, error, path) ?? new UserError(
    `cannot write ${what}`,
    `${path} cannot be written (${codeOf(error) ?? String(error)})`,
    "Make the folder writable, or set RALPH_STATE_DIR to one that is.",
    { cause: error }
  );
}

// src/journal/journal.ts
async function openJournal(path) {
  const file = await openPrivate(path);
  let size = await cutTornLine(file);
  let queue = [];
  let writing;
  const flush = async () => {
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      const bytes = Buffer.from(batch.map((one) => one.line).join(""), "utf8");
      try {
        await writeAll(file, bytes, size);
        await file.datasync();
        if ((await file.stat()).nlink === 0) throw removed(path);
        size += bytes.length;
        for (const one of batch) one.done();
      } catch (error) {
        await file.truncate(size).catch(() => {
        });
        const fault = error instanceof UserError ? error : unwritableState("the run's journal", path, error);
        for (const one of batch) one.failed(fault);
      }
    }
    writing = void 0;
  };
  return {
    append(event) {
      return new Promise((done, failed2) => {
        queue.push({ line: `${JSON.stringify(event)}
`, done, failed: failed2 });
        writing ??= flush();
      });
    },
    async close() {
      await writing;
      await file.close();
    }
  };
}
function removed(path) {
  return new UserError(
    "the run's journal is gone",
    `${path} was removed while the run was under way`,
    "Put it back as it was."
  );
}
async function openPrivate(path) {
  try {
    const firstMade = (0, import_node_fs3.mkdirSync)((0, import_node_path3.dirname)(path), { recursive: true, mode: 448 });
    await (await (0, import_promises.open)(path, "a+", 384)).close();
    await syncFolders((0, import_node_path3.dirname)(path), firstMade);
    return await (0, import_promises.open)(path, "r+");
  } catch (error) {
    throw unwritableState("the run's journal", path, error);
  }
}
async function syncFolders(folder, firstMade) {
  if (process.platform === "win32") return;
  const top = firstMade === void 0 ? folder : (0, import_node_path3.dirname)(firstMade);
  for (let at = folder; at.startsWith(top); at = (0, import_node_path3.dirname)(at)) {
    const handle = await (0, import_promises.open)(at, "r").catch(() => void 0);
    await handle?.sync().catch(() => {
    });
    await handle?.close();
    if (at === top) return;
  }
}
async function writeAll(file, bytes, at) {
  let written = 0;
  while (written < bytes.length) {
    const result = await file.write(bytes, written, bytes.length - written, at + written);
    written += result.bytesWritten;
  }
}
async function cutTornLine(file) {
  const { size } = await file.stat();
  const step = 64 * 1024;
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - step);
    const chunk = Buffer.alloc(end - start);
    await file.read(chunk, 0, chunk.length, start);
    const newline = chunk.lastIndexOf(10);
    if (newline >= 0) {
      end = start + newline + 1;
      break;
    }
    end = start;
  }
  if (end < size) {
    await file.truncate(end);
    await file.datasync();
  }
  return end;
}

// src/journal/lock.ts
var import_node_fs4 = require("node:fs");
var import_node_os = require("node:os");
var import_node_path4 = require("node:path");
var HEALS_MS = 2e3;
var HEAL_STEP_MS = 5;
function takeLock(path, run, alive, nowMs) {
  const owner = self(run, alive, nowMs);
  const draft = `${path}.${owner.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    (0, import_node_fs4.mkdirSync)((0, import_node_path4.dirname)(path), { recursive: true, mode: 448 });
    (0, import_node_fs4.writeFileSync)(draft, JSON.stringify(owner), { mode: 384, flag: "wx" });
  } catch (error) {
    unlink(draft);
    throw unwritableState("the run's state", path, error);
  }
  const healed = [];
  const deadline = process.uptime() * 1e3 + HEALS_MS;
  try {
    for (; ; ) {
      if (tryLink(draft, path)) return { held: true, healed, release: () => release(path, owner) };
      const other = readOwner(path);
      if (other !== void 0 && isLiving(other, alive)) return { held: false, owner: other };
      if (heal(path, draft, alive)) {
        if (other !== void 0) healed.push(other);
        continue;
      }
      const healer = readOwner(healingOf(path));
      if (healer !== void 0 && process.uptime() * 1e3 > deadline) return { held: false, owner: healer };
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HEAL_STEP_MS);
    }
  } finally {
    unlink(draft);
  }
}
function lockOwner(path, alive) {
  const owner = readOwner(path);
  return owner !== void 0 && isLiving(owner, alive) ? owner : void 0;
}
function heal(path, draft, alive) {
  const healing = healingOf(path);
  if (!tryLink(draft, healing)) {
    const healer = readOwner(healing);
    if (healer === void 0 || !isLiving(healer, alive)) (0, import_node_fs4.rmSync)(healing, { force: true });
    return false;
  }
  try {
    const owner = readOwner(path);
    if (owner !== void 0 && isLiving(owner, alive)) return false;
    (0, import_node_fs4.rmSync)(path, { force: true, recursive: true });
    return true;
  } finally {
    (0, import_node_fs4.rmSync)(healing, { force: true });
  }
}
function healingOf(path) {
  return `${path}.healing`;
}
function isLiving(owner, alive) {
  if (owner.host !== (0, import_node_os.hostname)()) return true;
  if (owner.boot !== void 0 && owner.boot !== bootId()) return false;
  return alive.isLiving(owner);
}
function self(run, alive, at) {
  const boot = bootId();
  return { ...alive.self(), host: (0, import_node_os.hostname)(), run, at, ...boot === void 0 ? {} : { boot } };
}
function tryLink(draft, path) {
  try {
    (0, import_node_fs4.linkSync)(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}
function readOwner(path) {
  try {
    const value = JSON.parse((0, import_node_fs4.readFileSync)(path, "utf8"));
    return Number.isInteger(value.pid) && typeof value.host === "string" ? value : void 0;
  } catch {
    return void 0;
  }
}
function release(path, owner) {
  const now2 = readOwner(path);
  if (now2?.pid !== owner.pid || now2.run !== owner.run) return;
  unlink(path);
}
function unlink(path) {
  try {
    (0, import_node_fs4.unlinkSync)(path);
  } catch {
  }
}
function bootId() {
  try {
    return (0, import_node_fs4.readFileSync)("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return void 0;
  }
}

// src/journal/paths.ts
var import_node_crypto = require("node:crypto");
var import_node_fs5 = require("node:fs");
var import_node_path5 = require("node:path");
function projectFolder(root, project) {
  const real = (0, import_node_fs5.realpathSync)(project);
  const slug = (0, import_node_path5.basename)(real).replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 40);
  const hash = (0, import_node_crypto.createHash)("sha256").update(real).digest("hex").slice(0, 12);
  return (0, import_node_path5.join)(root, "projects", `${slug || "root"}-${hash}`);
}
function runFolder(root, project, run) {
  const folder = (0, import_node_path5.join)(projectFolder(root, project), run);
  return { folder, journal: (0, import_node_path5.join)(folder, "journal.ndjson"), streams: (0, import_node_path5.join)(folder, "streams") };
}
function newRunId(nowMs) {
  const stamp = new Date(nowMs).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${(0, import_node_crypto.randomBytes)(3).toString("hex")}`;
}

// src/loop/clock.ts
var import_promises2 = require("node:timers/promises");
var LONGEST_NAP_MS = 6e4;
var aheadMs = Number.NEGATIVE_INFINITY;
function now() {
  const runsMs = process.uptime() * 1e3;
  aheadMs = Math.max(aheadMs, Date.now() - runsMs);
  return Math.round(runsMs + aheadMs);
}
var systemClock = {
  now,
  async sleepUntil(untilMs, signal) {
    while (!signal.aborted && now() < untilMs) {
      const napMs = Math.min(untilMs - now(), LONGEST_NAP_MS);
      await (0, import_promises2.setTimeout)(Math.max(napMs, 0), void 0, { signal }).catch(() => {
      });
    }
  }
};

// src/loop/hold.ts
var import_node_path8 = require("node:path");

// src/supervise/cgroup.ts
var import_node_fs6 = require("node:fs");
var import_node_path6 = require("node:path");
function makeCgroup(parent, run, mark) {
  const path = (0, import_node_path6.join)(parent, `ralph-${run}-${mark}`);
  try {
    (0, import_node_fs6.mkdirSync)(path);
  } catch {
    return void 0;
  }
  if ((0, import_node_fs6.existsSync)((0, import_node_path6.join)(path, "cgroup.kill"))) return path;
  removeCgroup(path);
  return void 0;
}
function inCgroup(path, file, args) {
  return ["/bin/sh", "-c", 'echo 0 > "$0/cgroup.procs" && exec "$@"', path, file, ...args];
}
function cgroupMembers(path) {
  try {
    return (0, import_node_fs6.readFileSync)((0, import_node_path6.join)(path, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
function killCgroup(path) {
  try {
    (0, import_node_fs6.writeFileSync)((0, import_node_path6.join)(path, "cgroup.kill"), "1");
  } catch {
  }
}
function removeCgroup(path) {
  try {
    (0, import_node_fs6.rmdirSync)(path);
  } catch {
  }
}

// src/supervise/proc.ts
var import_node_fs7 = require("node:fs");
var import_node_os2 = require("node:os");
var MARK_VARIABLE = "RALPH_PROCESS_MARK";
function startTicksOf(pid) {
  const fields = statFields(pid);
  const ticks = Number(fields?.[19]);
  return Number.isFinite(ticks) ? ticks : void 0;
}
var TICKS = 100;
var YOUNG_TICKS = 0.2 * TICKS;
function findMarked(mark, group, startTicks) {
  const latest = latestPid();
  if (latest === void 0) return isGroupAlive(group) ? [group] : [];
  const leaderTicks = startTicksOf(group);
  const isReused = startTicks !== void 0 && leaderTicks !== void 0 && leaderTicks !== startTicks;
  const isYoung = !isReused && startTicks !== void 0 && Math.abs((0, import_node_os2.uptime)() * TICKS - startTicks) < YOUNG_TICKS;
  if (isYoung && latest === group) return isAlive(group) ? [group] : [];
  const found = [];
  for (const name2 of (0, import_node_fs7.readdirSync)("/proc")) {
    const pid = Number(name2);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (isYoung && latest > group && pid < group) continue;
    if (isMember(pid, isReused ? void 0 : group, mark)) found.push(pid);
  }
  return found;
}
function carries(pid, text4) {
  return environmentOf(pid).includes(text4);
}
function environmentOf(pid) {
  try {
    return (0, import_node_fs7.readFileSync)(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}
function isMember(pid, group, mark) {
  const fields = statFields(pid);
  if (fields === void 0 || fields[0] === "Z") return false;
  if (Number(fields[2]) === group) return true;
  return carries(pid, mark);
}
function statFields(pid) {
  try {
    const stat = (0, import_node_fs7.readFileSync)(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return void 0;
  }
}
function latestPid() {
  try {
    return Number((0, import_node_fs7.readFileSync)("/proc/loadavg", "latin1").trim().split(" ")[4]);
  } catch {
    return void 0;
  }
}
function isAlive(pid) {
  const fields = statFields(pid);
  if (fields !== void 0) return fields[0] !== "Z";
  if (latestPid() !== void 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
function isGroupAlive(group) {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

// src/supervise/leftovers.ts
var RUN_VARIABLE = "RALPH_RUN_ID";

// src/supervise/namespace.ts
var import_node_fs8 = require("node:fs");
var import_node_os3 = require("node:os");
var REPORT_FD = 3;
var HANDED_FD = 4;
var FIRST_PROCESS = `exec 4>&2 2>/dev/null
(exec "$@" 2>&4 3>&- 4>&-)
code=$?
set -- /proc/[0-9]*
echo "$code $#" >&${REPORT_FD}
read -r _ <&${REPORT_FD}`;
function inNamespace(wrapper, command) {
  return [...wrapper, "/bin/sh", "-c", FIRST_PROCESS, "sh", ...command];
}
function readReport(text4) {
  const told = /^(\d+) (\d+)\n/.exec(text4);
  if (told === null) return void 0;
  const code = Number(told[1]);
  return { code, signal: signalOf(code), alone: told[2] === "1" };
}
var HARMLESS = new Set(
  "SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGWINCH SIGSTKFLT".split(" ")
);
function signalOf(code) {
  const named = Object.entries(import_node_os3.constants.signals).find(([, number3]) => number3 === code - 128);
  return named === void 0 || HARMLESS.has(named[0]) ? null : named[0];
}
function spaceOf(pid) {
  try {
    return (0, import_node_fs8.readlinkSync)(`/proc/${pid}/ns/pid`);
  } catch {
    return void 0;
  }
}
function keptBy(keeper) {
  const found = [keeper];
  for (let n = 0; n < found.length; n++) found.push(...childrenOf(found[n] ?? 0));
  return found;
}
function childrenOf(pid) {
  try {
    return (0, import_node_fs8.readdirSync)(`/proc/${pid}/task`).flatMap(
      (thread) => (0, import_node_fs8.readFileSync)(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number)
    );
  } catch {
    return [];
  }
}
function numbersOf(pid) {
  try {
    const line = /^NSpid:\s*(.*)$/m.exec((0, import_node_fs8.readFileSync)(`/proc/${pid}/status`, "latin1"))?.[1] ?? "";
    return line.split(/\s+/).map(Number);
  } catch {
    return [];
  }
}
function pidInSpace(space, inner) {
  const pids = (0, import_node_fs8.readdirSync)("/proc").map(Number).filter(Number.isInteger);
  return pids.find((pid) => spaceOf(pid) === space && numbersOf(pid).at(-1) === inner);
}

// src/supervise/spaces.ts
var SPACES_VARIABLE = "RALPH_PID_SPACES";
function ownSpaces(env) {
  const own = spaceOf("self");
  if (own === void 0) return [];
  const around = (env[SPACES_VARIABLE] ?? "").split(" ").filter((space) => space !== "" && space !== own);
  return [own, ...around];
}
var OUTERMOST = "pid:[4026531836]";
function locate(named) {
  const here = spaceOf("self");
  const [its] = named.spaces ?? [];
  if (its === void 0 || here === void 0 || its === here) return living(named.pid, named.startTicks);
  const pid = pidInSpace(its, named.pid);
  if (pid !== void 0) return living(pid, named.startTicks);
  return here === OUTERMOST || named.spaces?.includes(here) === true ? void 0 : "unseen";
}
function living(pid, startTicks) {
  if (!isAlive(pid)) return void 0;
  return startTicksOf(pid) === startTicks ? pid : void 0;
}
function nameSelf(env) {
  const startTicks = startTicksOf(process.pid);
  const spaces = ownSpaces(env);
  return {
    pid: process.pid,
    ...startTicks === void 0 ? {} : { startTicks },
    ...spaces.length === 0 ? {} : { spaces }
  };
}

// src/tasks/list.ts
function isBlank(text4) {
  return text4.trim() === "";
}

// src/tasks/schema.ts
var MOST_STORIES = 1e3;
var UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;
var NON_NEGATIVE = "must be a non-negative integer";
var STATUS = 'must be null or one of "needs_review", "changes_requested", "approved"';
var CRITERIA2 = "must be a non-empty array of strings";
var text2 = string("must be a string");
var texts = array(string("must be a string"), "must be an array of strings");
var STORY_FIELDS = {
  id: pipe(
    text2,
    check((id) => !isBlank(id), "must not be blank"),
    maxLength(100, "must not be longer than 100 characters"),
    // An id stands in prompts and on screens, in ralph's own words.
    check((id) => !UNPRINTABLE.test(id), "must not hold line breaks or control characters")
  ),
  title: text2,
  description: optional(text2, ""),
  acceptanceCriteria: pipe(array(string("must be a string"), CRITERIA2), minLength(1, CRITERIA2)),
  priority: pipe(number("must be a number"), finite("must be a number")),
  passes: boolean("must be a boolean"),
  reviewStatus: nullable(picklist(["needs_review", "changes_requested", "approved"], STATUS)),
  reviewCount: pipe(number(NON_NEGATIVE), safeInteger(NON_NEGATIVE), minValue(0, NON_NEGATIVE)),
  reviewFeedback: text2,
  notes: optional(text2, ""),
  dependsOn: optional(texts, [])
};
var LIST_FIELDS = {
  project: text2,
  branchName: text2,
  description: text2,
  verifyCommands: optional(texts, [])
};
var LIST = object2({
  ...LIST_FIELDS,
  userStories: pipe(
    array(object2(STORY_FIELDS), "must be an array of stories"),
    maxLength(MOST_STORIES, `must not hold more than ${MOST_STORIES} stories`)
  )
});
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function object2(entries) {
  return pipe(unknown(), check(isRecord, "must be an object"), looseObject(entries, "is required"));
}

// src/files.ts
var import_node_fs9 = require("node:fs");
var import_node_path7 = require("node:path");
var RUNTIME_PATTERNS = [
  ".ralph-activ[e]*",
  ".ralp[h]/*.log",
  ".ralp[h]/prompt_*.txt"
];
function readNoFollow(file, mostBytes) {
  return bytesNoFollow(file, mostBytes).toString("utf8");
}
function bytesNoFollow(file, mostBytes) {
  return read((0, import_node_fs9.openSync)(file, import_node_fs9.constants.O_RDONLY | import_node_fs9.constants.O_NOFOLLOW | import_node_fs9.constants.O_NONBLOCK), mostBytes);
}
function read(fd, mostBytes) {
  try {
    const info = (0, import_node_fs9.fstatSync)(fd);
    if (!info.isFile()) throw Object.assign(new Error("not a regular file"), { code: "ENOTFILE" });
    if (info.size > mostBytes)
      throw Object.assign(new Error(`larger than ${mostBytes} bytes`), { code: "EFBIG" });
    return (0, import_node_fs9.readFileSync)(fd);
  } finally {
    (0, import_node_fs9.closeSync)(fd);
  }
}
function openPlain(file) {
  const fd = (0, import_node_fs9.openSync)(file, import_node_fs9.constants.O_RDONLY | import_node_fs9.constants.O_NONBLOCK);
  if ((0, import_node_fs9.fstatSync)(fd).isFile()) return fd;
  (0, import_node_fs9.closeSync)(fd);
  throw new Error(`${file} is no plain file`);
}
function readPlain(file, mostBytes) {
  return read((0, import_node_fs9.openSync)(file, import_node_fs9.constants.O_RDONLY | import_node_fs9.constants.O_NONBLOCK), mostBytes).toString("utf8");
}
function isInside(folder, path) {
  const way = (0, import_node_path7.relative)(folder, path);
  return way === "" || way !== ".." && !way.startsWith(`..${import_node_path7.sep}`) && !way.startsWith(import_node_path7.sep);
}

// src/tasks/active.ts
var count = pipe(number(), safeInteger(), minValue(0));
var ACTIVE = object({
  timestamp: string(),
  pid: pipe(number(), safeInteger(), minValue(1)),
  max_iterations: count,
  mode: picklist(["sandbox", "direct"]),
  skipReview: boolean(),
  reviewCap: count,
  iterationMode: exactOptional(picklist(["implement", "review", "review-fix"])),
  preIterationSnapshot: exactOptional(
    record(
      string(),
      object({
        passes: boolean(),
        reviewStatus: nullable(picklist(["needs_review", "changes_requested", "approved"])),
        reviewCount: count
      })
    )
  )
});

// src/tasks/files.ts
var MOST_BYTES = 4 * 1024 * 1024;

// src/loop/liveness.ts
var LIVENESS = {
  self: () => nameSelf(process.env),
  isLiving: (owner) => locate(owner) !== void 0
};

// src/loop/hold.ts
function holderOf(root, project) {
  return lockOwner(lockPath(root, project), LIVENESS);
}
function lockPath(root, project) {
  return (0, import_node_path8.join)(projectFolder(root, project), "lock");
}

// src/loop/machine.ts
var import_node_os4 = require("node:os");
function machine() {
  return { platform: process.platform, arch: process.arch, release: (0, import_node_os4.release)(), node: process.version };
}

// src/scm/git.ts
var import_node_fs14 = require("node:fs");
var import_node_os6 = require("node:os");
var import_node_path10 = require("node:path");

// src/supervise/spawn.ts
var import_node_child_process = require("node:child_process");
var import_node_crypto2 = require("node:crypto");
var import_node_fs13 = require("node:fs");

// src/supervise/which.ts
var import_node_fs10 = require("node:fs");
var import_node_os5 = require("node:os");
var import_node_path9 = require("node:path");
var WINDOWS_ENDINGS = [".exe", ".cmd", ".bat", ""];
function whichAll(program, options) {
  const endings = process.platform === "win32" ? WINDOWS_ENDINGS : [""];
  const folders = program.includes("/") || process.platform === "win32" && program.includes("\\") ? [""] : (options.path ?? "").split(import_node_path9.delimiter).filter((folder) => folder !== "");
  const found = [];
  for (const folder of folders) {
    for (const ending of endings) {
      const base = (0, import_node_path9.isAbsolute)(program) ? program : (0, import_node_path9.join)(folder === "" ? options.cwd : (0, import_node_path9.resolve)(options.cwd, folder), program);
      const candidate = base + ending;
      if (isRunnable(candidate) && !found.includes(candidate)) found.push(candidate);
    }
  }
  return found;
}
function which(program, options) {
  return whichAll(program, options)[0];
}
function ownPath(path, folder) {
  const isIn = (place2, one) => !isInside(place2, (0, import_node_os5.homedir)()) && isInside(place2, one);
  const isTheirs2 = (one) => isIn(folder, one) || isIn(realOf(folder), realOf(one)) || one.split(import_node_path9.sep).includes("node_modules");
  return (path ?? "").split(import_node_path9.delimiter).filter((one) => (0, import_node_path9.isAbsolute)(one) && !isTheirs2(one)).join(import_node_path9.delimiter);
}
function realOf(path) {
  try {
    return (0, import_node_fs10.realpathSync)(path);
  } catch {
    return path;
  }
}
function isRunnable(file) {
  try {
    (0, import_node_fs10.accessSync)(file, import_node_fs10.constants.X_OK);
    return (0, import_node_fs10.statSync)(file).isFile() && missingInterpreter(file) === void 0;
  } catch {
    return false;
  }
}
function missingInterpreter(file) {
  if (process.platform === "win32") return void 0;
  const [, name2] = /^#![ \t]*([^ \t\n\0]+)/.exec(firstBytes(file)) ?? [];
  return name2 === void 0 || !(0, import_node_path9.isAbsolute)(name2) || (0, import_node_fs10.existsSync)(name2) ? void 0 : name2;
}
function firstBytes(file) {
  let fd;
  try {
    fd = (0, import_node_fs10.openSync)(file, import_node_fs10.constants.O_RDONLY | import_node_fs10.constants.O_NONBLOCK);
    const bytes = Buffer.alloc(256);
    return bytes.toString("latin1", 0, (0, import_node_fs10.readSync)(fd, bytes));
  } catch {
    return "";
  } finally {
    if (fd !== void 0) (0, import_node_fs10.closeSync)(fd);
  }
}

// src/supervise/command-line.ts
function commandLine(request, mark) {
  const { file, args, means, cwd, env } = request;
  const plain2 = { file, args: [...args], keeper: false };
  if (means === void 0) return plain2;
  if (means.remote !== void 0 && typeof means.wrapper === "function") {
    const start = { mark, env: means.environment?.(env) ?? env, path: env["PATH"] };
    const words = [...means.wrapper(cwd, start), ...means.inside ?? [], file, ...args];
    return { ...split(words), keeper: false, remote: means.remote };
  }
  if (which(file, { cwd, path: env["PATH"] }) === void 0)
    return means.name === "sandbox" ? { ...plain2, absent: true } : plain2;
  if (means.enter !== void 0) {
    const { words, env: own } = means.enter([...means.inside ?? [], file, ...args]);
    return { ...split([...words]), keeper: false, env: own };
  }
  if (means.wrapper !== void 0) {
    const around = typeof means.wrapper === "function" ? means.wrapper(cwd, { mark, env, path: env["PATH"] }) : means.wrapper;
    return { ...split(inNamespace(around, [...means.inside ?? [], file, ...args])), keeper: true };
  }
  const cgroup = means.cgroup === void 0 ? void 0 : makeCgroup(means.cgroup, env[RUN_VARIABLE] ?? "", mark);
  if (cgroup === void 0) return plain2;
  return { ...split(inCgroup(cgroup, file, args)), keeper: false, cgroup };
}
function split([file = "", ...args]) {
  return { file, args };
}

// src/supervise/inherited.ts
var import_node_fs11 = require("node:fs");
var CLOSE_ON_EXEC = 524288;
var MOST = 4096;
var known;
function withoutInherited(first) {
  known ??= handedOn();
  const open2 = known.filter((fd) => fd >= first);
  if (open2.length === 0) return { stdio: [], done: () => {
  } };
  const nothing = (0, import_node_fs11.openSync)("/dev/null", "r+");
  const length = Math.max(...open2) + 1 - first;
  const stdio = Array.from({ length }, (_, at) => open2.includes(first + at) ? nothing : "ignore");
  return { stdio, done: () => (0, import_node_fs11.closeSync)(nothing) };
}
function handedOn() {
  try {
    return (0, import_node_fs11.readdirSync)("/proc/self/fdinfo").map(Number).filter((fd) => fd > 2 && fd < MOST && isHandedOn(fd));
  } catch {
    return [];
  }
}
function isHandedOn(fd) {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec((0, import_node_fs11.readFileSync)(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1] ?? "";
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}

// src/supervise/program-end.ts
var LONGEST_REPORT = 64;
function programEnd(child, { keeper, remote }) {
  return new Promise((resolve6) => {
    const channel = keeper ? child.stdio[REPORT_FD] : void 0;
    const letGo = () => void channel?.destroy();
    let told = "";
    channel?.on("error", () => {
    });
    channel?.on("data", (chunk) => {
      if (told.length < LONGEST_REPORT) told += chunk.toString("latin1");
      const report = readReport(told);
      if (report !== void 0) resolve6({ ...report, letGo });
    });
    child.once("exit", (code, signal) => {
      setImmediate(() => {
        if (remote !== void 0 && code !== null) {
          return resolve6({ code, signal: signalOf(code), alone: true, letGo });
        }
        if (!keeper) return resolve6({ code, signal, alone: false, letGo });
        if (signal !== null) return resolve6({ code: null, signal, alone: false, letGo });
        const message = "the namespace for its processes could not be made";
        resolve6({ code: null, signal: null, spawnError: { code: "EAGAIN", message }, alone: true, letGo });
      });
    });
  });
}

// src/supervise/remote.ts
var import_promises4 = require("node:timers/promises");

// src/supervise/tree.ts
var import_promises3 = require("node:timers/promises");
var POLL_MS = 10;
var KILL_SETTLES_MS = 5e3;
var TELLS_MS = 1e3;
function signalTree(target, signal) {
  const pids = signal === "SIGKILL" ? allIn(target) : worksIn(target);
  if (signal === "SIGKILL" && target.cgroup !== void 0) killCgroup(target.cgroup);
  for (const pid of pids) signalOne(pid, signal);
  if (pids.includes(target.pid)) signalOne(-target.pid, signal);
  return pids.length;
}
async function endTree(target, graceMs, told = Promise.resolve()) {
  const left = await endAll(target, graceMs, told);
  if (target.cgroup !== void 0) removeCgroup(target.cgroup);
  return left;
}
async function endAll(target, graceMs, told) {
  if (graceMs > 0) {
    const isGone = signalTree(target, "SIGTERM") === 0 || await isGoneWithin(target, graceMs);
    if (isGone && target.keeper !== true) return [];
    if (isGone) await Promise.race([told, (0, import_promises3.setTimeout)(TELLS_MS, void 0, { ref: false })]);
  }
  const deadline = Date.now() + KILL_SETTLES_MS;
  while (signalTree(target, "SIGKILL") > 0) {
    if (Date.now() > deadline) return allIn(target);
    await (0, import_promises3.setTimeout)(POLL_MS);
  }
  return [];
}
async function endOthers(target, spared, graceMs) {
  const others = () => worksIn(target).filter((pid) => !spared.includes(pid) && !carries(pid, `${target.mark}:`));
  const deadline = Date.now() + graceMs;
  for (const pid of others()) signalOne(pid, "SIGTERM");
  while (others().length > 0 && Date.now() < deadline) await (0, import_promises3.setTimeout)(POLL_MS);
  const last = Date.now() + KILL_SETTLES_MS;
  for (let left = others(); left.length > 0 && Date.now() < last; left = others()) {
    for (const pid of left) signalOne(pid, "SIGKILL");
    await (0, import_promises3.setTimeout)(POLL_MS);
  }
}
async function isGoneWithin(target, graceMs) {
  const deadline = Date.now() + graceMs;
  for (; ; ) {
    if (worksIn(target).length === 0) return true;
    if (Date.now() >= deadline) return false;
    await (0, import_promises3.setTimeout)(POLL_MS);
  }
}
function allIn(target) {
  if (target.keeper === true) {
    const isThere = isAlive(target.pid) && startTicksOf(target.pid) === target.startTicks;
    return isThere ? keptBy(target.pid).filter(isAlive) : [];
  }
  const found = findMarked(target.mark, target.pid, target.startTicks);
  return target.cgroup === void 0 ? found : [.../* @__PURE__ */ new Set([...found, ...cgroupMembers(target.cgroup)])];
}
function worksIn(target) {
  const all = allIn(target);
  if (target.keeper !== true) return all;
  const depth = numbersOf(process.pid).length + 1;
  return all.filter((pid) => pid !== target.pid && !isFirst(numbersOf(pid), depth));
}
function isFirst(numbers, depth) {
  return numbers.length === depth && numbers.at(-1) === 1;
}
function signalOne(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
  }
}

// src/supervise/remote.ts
var AGAIN_MS = 500;
var KILL_SETTLES_MS2 = 1e4;
async function endRemote(remote, client, graceMs, gone) {
  if (graceMs > 0) {
    await remote.signal(client.mark, "SIGTERM");
    if (await isWithin(graceMs, gone)) return;
  }
  const deadline = Date.now() + KILL_SETTLES_MS2;
  while (Date.now() < deadline) {
    await remote.signal(client.mark, "SIGKILL");
    if (await isWithin(AGAIN_MS, gone)) return;
  }
  await endTree(client, 0);
  await remote.signal(client.mark, "SIGKILL");
}
async function isWithin(ms, promise) {
  return Promise.race([promise.then(() => true), (0, import_promises4.setTimeout)(ms, false, { ref: false })]);
}

// src/supervise/silence.ts
var Silence = class {
  #onSilent;
  #timer;
  #ms = -1;
  #why;
  #isOver = false;
  constructor(why, ms, onSilent) {
    this.#onSilent = onSilent;
    this.#why = why;
    this.watch(why, ms);
  }
  /** Watches for a silence of another length, from now on. 0 is no limit. */
  watch(why, ms) {
    if (this.#isOver || why === this.#why && ms === this.#ms) return;
    clearTimeout(this.#timer);
    this.#timer = void 0;
    this.#why = why;
    this.#ms = ms;
    if (ms > 0) this.#timer = setTimeout(() => this.#onSilent(this.#why), ms);
  }
  /** Something was heard. */
  heard() {
    if (this.#ms > 0) this.#timer?.refresh();
  }
  /** Stops listening for a while: it is we who do not read. */
  hold() {
    clearTimeout(this.#timer);
  }
  /** Listens again, from now. */
  release() {
    if (!this.#isOver) this.heard();
  }
  /** What is heard after this starts no watch again: output can arrive when the program has gone. */
  end() {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
};

// src/supervise/watch.ts
var import_node_fs12 = require("node:fs");
var LOOK_MS = 250;
function watchLimits(keeper, limits, onOver) {
  const { memoryBytes = 0, processes = 0 } = limits ?? {};
  if (memoryBytes === 0 && processes === 0) return () => {
  };
  const timer = setInterval(() => {
    const pids = keptBy(keeper);
    const isMany = processes > 0 && pids.length > processes + OWN_PROCESSES;
    if (isMany || memoryBytes > 0 && residentBytes(pids) > memoryBytes) onOver();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
var OWN_PROCESSES = 4;
var PAGE_BYTES = 4096;
function residentBytes(pids) {
  return pids.reduce((sum, pid) => sum + ownPages(pid) * PAGE_BYTES, 0);
}
function ownPages(pid) {
  try {
    const [, resident = "0", shared = "0"] = (0, import_node_fs12.readFileSync)(`/proc/${pid}/statm`, "latin1").split(" ");
    return Math.max(0, Number(resident) - Number(shared));
  } catch {
    return 0;
  }
}

// src/supervise/spawn.ts
var GRACE_MS = 5e3;
var CLOSE_MS = 2e3;
function spawnTree(request) {
  const mark = (0, import_node_crypto2.randomBytes)(9).toString("hex");
  const line = commandLine(request, mark);
  if (line.absent === true) {
    return { exited: Promise.resolve(notStarted(absent(request.file))), stop: () => {
    }, linger: () => {
    } };
  }
  const pipes = Array(line.keeper ? HANDED_FD : 3).fill("pipe");
  const handed = [];
  let covered;
  let child;
  try {
    if (line.keeper && request.means?.handed !== void 0) handed.push((0, import_node_fs13.openSync)(request.means.handed, "r"));
    covered = withoutInherited(pipes.length + handed.length);
    child = (0, import_node_child_process.spawn)(line.file, line.args, {
      cwd: request.means?.cwd ?? request.cwd,
      env: {
        // A client is a program of the user's own: what goes in is told to it by name.
        ...line.remote === void 0 ? {} : request.env,
        ...request.means?.environment?.(request.env) ?? request.env,
        ...line.env,
        [MARK_VARIABLE]: chained(request.env[MARK_VARIABLE], mark),
        ...line.keeper ? { [SPACES_VARIABLE]: ownSpaces(request.env).join(" ") } : {}
      },
      stdio: [...pipes, ...handed, ...covered.stdio],
      detached: process.platform !== "win32",
      windowsHide: true
    });
  } catch (error) {
    return { exited: Promise.resolve(notStarted(error)), stop: () => {
    }, linger: () => {
    } };
  } finally {
    covered?.done();
    for (const fd of handed) (0, import_node_fs13.closeSync)(fd);
  }
  const { pid } = child;
  if (pid === void 0) {
    return {
      exited: new Promise((resolve6) => child.once("error", (error) => resolve6(notStarted(error)))),
      stop: () => {
      },
      linger: () => {
      }
    };
  }
  const ticks = startTicksOf(pid);
  const target = {
    pid,
    mark,
    ...ticks === void 0 ? {} : { startTicks: ticks },
    ...line.keeper ? { keeper: true } : {},
    ...line.cgroup === void 0 ? {} : { cgroup: line.cgroup }
  };
  const program = programEnd(child, line);
  let endedBy;
  let ending;
  const end = (why, graceMs) => {
    endedBy ??= why;
    if (ending !== void 0 && graceMs > 0) return;
    ending = line.remote === void 0 ? endTree(target, graceMs, program) : endRemote(line.remote, target, graceMs, program);
  };
  const { limits } = request.means ?? {};
  const wallMs = Math.min(request.wallMs ?? Infinity, limits?.timeMs ?? Infinity);
  const timer = Number.isFinite(wallMs) ? setTimeout(() => end("timeout", GRACE_MS), wallMs) : void 0;
  const unwatch = line.keeper ? watchLimits(pid, limits, () => end("limit", 0)) : () => {
  };
  let isGone = false;
  const silence = new Silence("idle", request.idleMs ?? 0, (why) => end(why, GRACE_MS));
  child.stdout?.on("data", (chunk) => {
    silence.heard();
    const room = request.onStdout(chunk);
    if (room === void 0 || isGone) return;
    child.stdout?.pause();
    silence.hold();
    void room.finally(() => {
      silence.release();
      child.stdout?.resume();
    });
  });
  child.stderr?.on("data", (chunk) => {
    silence.heard();
    request.onStderr(chunk);
  });
  child.stdin?.on("error", () => {
  });
  child.stdin?.end(request.stdin);
  const exited2 = new Promise((resolve6) => {
    child.once("error", (error) => resolve6(notStarted(error)));
    const closed = new Promise((done) => child.once("close", () => done()));
    void program.then(async ({ alone: told, letGo, ...exit }) => {
      const alone = told || request.own === true && !isGroupAlive(pid);
      clearTimeout(timer);
      unwatch();
      silence.end();
      isGone = true;
      child.stdout?.resume();
      if (!alone && endedBy === void 0) await line.remote?.signal(mark, "SIGKILL");
      const spared = alone || line.remote !== void 0 || endedBy !== void 0 ? [] : request.keep?.() ?? [];
      if (spared.length > 0) await endOthers(target, spared, GRACE_MS);
      else if (!alone) await endTree(target, GRACE_MS);
      await ending;
      if (spared.length === 0) {
        letGo();
        await settledWithin(CLOSE_MS, closed);
      }
      child.stdout?.destroy();
      child.stderr?.destroy();
      const why = {
        ...endedBy === void 0 ? {} : { endedBy },
        ...spared.length === 0 ? {} : { kept: { end: (graceMs) => endTree(target, graceMs) } }
      };
      const isFaulty = exit.spawnError !== void 0 && endedBy !== void 0;
      resolve6(isFaulty ? { code: null, signal: "SIGKILL", ...why } : { ...exit, ...why });
    });
  });
  return {
    process: target,
    exited: exited2,
    stop: (graceMs) => end("stopped", graceMs),
    linger: (ms) => ms > 0 ? silence.watch("lingering", ms) : silence.watch("idle", request.idleMs ?? 0)
  };
}
function settledWithin(ms, promise) {
  return new Promise((resolve6) => {
    const timer = setTimeout(() => setImmediate(resolve6), ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve6();
    });
  });
}
function chained(outer, mark) {
  return outer === void 0 || outer === "" ? mark : `${outer}:${mark}`;
}
function absent(file) {
  return Object.assign(new Error(`${file} is not there, or cannot be run`), { code: "ENOENT" });
}
function notStarted(error) {
  return {
    code: null,
    signal: null,
    spawnError: { code: codeOf(error) ?? "UNKNOWN", message: messageOf(error) }
  };
}

// src/supervise/exec.ts
var MOST_OUTPUT_BYTES = 16 * 1024 * 1024;
async function exec(file, args, options) {
  const out = new Bounded();
  const err = new Bounded();
  const tree = spawnTree({
    file,
    args,
    cwd: options.cwd,
    env: options.env,
    stdin: options.stdin ?? "",
    wallMs: options.wallMs ?? 12e4,
    ...options.means === void 0 ? { own: true } : { means: options.means },
    onStdout: (chunk) => {
      if (!out.add(chunk)) tree.stop(0);
      return void 0;
    },
    onStderr: (chunk) => err.add(chunk)
  });
  const stop = () => tree.stop(0);
  if (options.signal?.aborted) stop();
  options.signal?.addEventListener("abort", stop, { once: true });
  const exit = await tree.exited;
  options.signal?.removeEventListener("abort", stop);
  const late = exit.endedBy === "timeout" ? "took too long" : void 0;
  const error = exit.spawnError?.message ?? (out.isFull ? "said more than 16 MB" : late);
  return {
    code: out.isFull ? null : exit.code,
    stdout: out.text(),
    stderr: err.text(),
    ...error === void 0 ? {} : { error }
  };
}
var Bounded = class {
  #chunks = [];
  #size = 0;
  get isFull() {
    return this.#size > MOST_OUTPUT_BYTES;
  }
  /** Is there room for more? */
  add(chunk) {
    if (this.isFull) return false;
    this.#size += chunk.length;
    if (!this.isFull) this.#chunks.push(chunk);
    return !this.isFull;
  }
  text() {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
};

// src/scm/git.ts
var HARMLESS2 = [
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "diff.external=",
  "-c",
  "core.pager=cat",
  "-c",
  "commit.gpgSign=false",
  "-c",
  "log.showSignature=false",
  "-c",
  "maintenance.auto=false",
  // Less than this, and a change of the same size that sets the clock back would not be seen.
  "-c",
  "core.checkStat=default",
  "-c",
  "core.trustctime=true"
];
function git(cwd, args, options = {}) {
  return exec(options.program ?? "git", [...HARMLESS2, ...args], {
    cwd,
    env: environment(cwd, options.env),
    ...options.stdin === void 0 ? {} : { stdin: options.stdin },
    ...options.wallMs === void 0 ? {} : { wallMs: options.wallMs },
    ...options.signal === void 0 ? {} : { signal: options.signal }
  });
}
async function gitBytes(cwd, args, options, onStdout) {
  const said = [];
  const exit = await spawnTree({
    file: "git",
    args: [...HARMLESS2, ...args],
    cwd,
    env: environment(cwd, options.env),
    stdin: options.stdin ?? "",
    ...options.wallMs === void 0 ? {} : { wallMs: options.wallMs },
    onStdout: (chunk) => {
      onStdout(chunk);
      return void 0;
    },
    onStderr: (chunk) => void (said.length < 1e3 && said.push(chunk))
  }).exited;
  const stderr = Buffer.concat(said).toString("utf8");
  return { code: exit.code, stderr, ...exit.spawnError ? { error: exit.spawnError.message } : {} };
}
function environment(cwd, own = {}) {
  return {
    ...process.env,
    ...process.platform === "win32" ? {} : { PATH: ownPath(process.env["PATH"], ground(cwd)) },
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_EDITOR: "true",
    ...own
  };
}
function ground(cwd) {
  let found = cwd;
  for (let at = (0, import_node_path10.dirname)(cwd); at !== (0, import_node_path10.dirname)(at) && !isInside(at, (0, import_node_os6.homedir)()); at = (0, import_node_path10.dirname)(at)) {
    if ((0, import_node_fs14.existsSync)((0, import_node_path10.join)(at, ".git"))) found = at;
  }
  return found;
}
async function standsOn(cwd) {
  const result = await git(cwd, ["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"]);
  const [head = "", branch = ""] = result.stdout.split("\n");
  if (result.code !== 0 || !/^[0-9a-f]{40,64}$/.test(head)) return {};
  return {
    head,
    ...branch.startsWith("refs/heads/") ? { branch: branch.slice("refs/heads/".length) } : {}
  };
}
var LISTING_MS = 12e4;
async function gitList(cwd, args, env, wallMs = LISTING_MS) {
  const chunks = [];
  const options = { ...env === void 0 ? {} : { env }, wallMs };
  const result = await gitBytes(cwd, args, options, (chunk) => void chunks.push(chunk));
  if (result.code !== 0) return void 0;
  return Buffer.concat(chunks).toString("utf8").split("\0").filter((one) => one !== "");
}
function gitError(result) {
  const lines = (result.stderr.trim() || (result.stdout ?? "").trim()).split("\n");
  const marked = lines.filter((line) => /^(?:fatal|error): /.test(line));
  const said = (marked.length > 0 ? marked : lines).slice(-3).join(" ");
  return result.error ?? (said || `exit code ${result.code}`);
}
function plain(text4) {
  return text4.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, " ").trim();
}

// src/snapshot/shadow.ts
var import_node_fs21 = require("node:fs");
var import_node_os7 = require("node:os");
var import_node_path16 = require("node:path");

// src/snapshot/objects.ts
var import_node_fs15 = require("node:fs");
var import_node_path11 = require("node:path");
function shareObjects(from, to) {
  const others = (0, import_node_path11.join)(from, "info", "alternates");
  const inherited = (0, import_node_fs15.existsSync)(others) ? (0, import_node_fs15.readFileSync)(others, "utf8").split("\n").filter(Boolean) : [];
  const far = inherited.map((path) => (0, import_node_path11.resolve)(from, path));
  if (!linkAll(from, to)) far.unshift(from);
  if (far.length === 0) return;
  (0, import_node_fs15.mkdirSync)((0, import_node_path11.join)(to, "info"), { recursive: true });
  (0, import_node_fs15.writeFileSync)((0, import_node_path11.join)(to, "info", "alternates"), far.map((path) => `${path}
`).join(""));
}
function borrows(shadow) {
  return (0, import_node_fs15.existsSync)((0, import_node_path11.join)(shadow.folder, "objects", "info", "alternates"));
}
function linkAll(from, to) {
  try {
    for (const folder of (0, import_node_fs15.readdirSync)(from)) {
      if (folder !== "pack" && !/^[0-9a-f]{2}$/.test(folder)) continue;
      (0, import_node_fs15.mkdirSync)((0, import_node_path11.join)(to, folder), { recursive: true });
      for (const file of byKind((0, import_node_fs15.readdirSync)((0, import_node_path11.join)(from, folder)))) link(from, to, (0, import_node_path11.join)(folder, file));
    }
    return true;
  } catch {
    return false;
  }
}
function byKind(files) {
  const whole = files.filter((file) => !file.startsWith("tmp_") && !file.startsWith("."));
  return [
    ...whole.filter((file) => !file.endsWith(".idx")),
    ...whole.filter((file) => file.endsWith(".idx"))
  ];
}
function link(from, to, file) {
  try {
    (0, import_node_fs15.linkSync)((0, import_node_path11.join)(from, file), (0, import_node_path11.join)(to, file));
  } catch (error) {
    if (codeOf(error) !== "EEXIST" && codeOf(error) !== "ENOENT") throw error;
  }
}

// src/snapshot/seed.ts
var import_node_fs20 = require("node:fs");
var import_node_path15 = require("node:path");

// src/snapshot/names.ts
var UTF8 = /[\x00-\x7f]+|(?:[\xc2-\xdf]|\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf])[\x80-\xbf]|[\x80-\xff]/g;
function nameOf(bytes) {
  const text4 = bytes.toString("utf8");
  if (!text4.includes("\uFFFD")) return text4;
  return bytes.toString("latin1").replace(
    UTF8,
    (part) => part.length === 1 && part > "\x7F" ? String.fromCharCode(56320 + part.charCodeAt(0)) : Buffer.from(part, "latin1").toString("utf8")
  );
}
function bytesOf(name2) {
  if (isText(name2)) return Buffer.from(name2, "utf8");
  return Buffer.concat(
    name2.split(/([\udc80-\udcff])/u).map(
      (part) => /^[\udc80-\udcff]$/u.test(part) ? Buffer.from([part.charCodeAt(0) - 56320]) : Buffer.from(part, "utf8")
    )
  );
}
function isText(name2) {
  return !/[\udc80-\udcff]/u.test(name2);
}
function zeroSeparated(bytes) {
  const names = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0, at);
    const stop = end < 0 ? bytes.length : end;
    names.push(nameOf(bytes.subarray(at, stop)));
    at = stop + 1;
  }
  return names;
}
function foldersOf(path) {
  const folders = [];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) folders.push(path.slice(0, at));
  return folders;
}

// src/snapshot/standing.ts
var import_node_fs16 = require("node:fs");
var PIECE_BYTES = 1024 * 1024;
function below(top, path) {
  return Buffer.concat([Buffer.from(`${top}/`), bytesOf(path)]);
}
function infoAt(file) {
  try {
    return (0, import_node_fs16.lstatSync)(file, { throwIfNoEntry: false });
  } catch {
    return void 0;
  }
}
function wayTo(top, path, make) {
  for (const folder of foldersOf(path)) {
    const at = below(top, folder);
    const info = (0, import_node_fs16.lstatSync)(at, { throwIfNoEntry: false });
    if (info === void 0 && !make) return "missing";
    if (info === void 0) (0, import_node_fs16.mkdirSync)(at);
    else if (!info.isDirectory()) return "blocked";
  }
  return "there";
}

// src/snapshot/tree.ts
var import_node_fs19 = require("node:fs");
var import_node_path14 = require("node:path");

// src/scm/guard.ts
var PROGRAM_KEY = /^(?:filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|diff\..*\.(?:command|textconv)|core\.(?:sshcommand|gitproxy|askpass|editor|alternaterefscommand)|sequence\.editor|credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?program|remote\..*\.(?:vcs|uploadpack|receivepack)|uploadpack\.packobjectshook)$/;
async function readPrograms(cwd, env) {
  const listed = await git(
    cwd,
    ["config", "--show-scope", "--includes", "-z", "--list"],
    env === void 0 ? {} : { env }
  );
  if (listed.code !== 0) return void 0;
  const words = listed.stdout.split("\0");
  const found = /* @__PURE__ */ new Map();
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope, entry = ""] = [words[at], words[at + 1]];
    const end = entry.indexOf("\n");
    const key2 = end < 0 ? entry : entry.slice(0, end);
    if ((scope === "local" || scope === "worktree") && PROGRAM_KEY.test(key2.toLowerCase())) {
      found.set(key2, end < 0 ? "" : entry.slice(end + 1));
    }
  }
  return found;
}
async function guardEnvironment(cwd, trusted, env) {
  const now2 = await readPrograms(cwd, env);
  if (now2 === void 0) return void 0;
  const set = [.../* @__PURE__ */ new Set([...now2.keys(), ...trusted.keys()])].filter((key2) => now2.get(key2) !== trusted.get(key2)).map((key2) => [key2, trusted.get(key2) ?? ""]);
  const first = Number(process.env["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const variables = { GIT_CONFIG_COUNT: String(first + set.length) };
  set.forEach(([key2, value], index) => {
    variables[`GIT_CONFIG_KEY_${first + index}`] = key2;
    variables[`GIT_CONFIG_VALUE_${first + index}`] = value;
  });
  return variables;
}

// src/snapshot/inside.ts
var import_node_fs17 = require("node:fs");
var import_node_path12 = require("node:path");
var STAND_IN = `#!/bin/sh
if [ "$1" = status ] && [ "$GIT_DIR" = .git ]; then exit 0; fi
while :; do
  case $PATH in
    "\${0%/*}:"*) PATH=\${PATH#*:} ;;
    *) break ;;
  esac
done
unset GIT_EXEC_PATH
exec git "$@"
`;
async function innerPrograms(top, env) {
  const found = /* @__PURE__ */ new Map();
  await eachInside(top, env, async (path, inner) => {
    found.set(path, await readPrograms((0, import_node_path12.join)(top, path), inner) ?? /* @__PURE__ */ new Map());
    return void 0;
  });
  return found;
}
function unclearInside(top, env, trusted) {
  return eachInside(top, env, async (path, inner) => {
    const folder = (0, import_node_path12.join)(top, path);
    const guard2 = await guardEnvironment(folder, trusted.get(path) ?? /* @__PURE__ */ new Map(), inner);
    if (guard2 === void 0) return `git cannot read the configuration of the submodule ${path}`;
    const args = ["status", "--porcelain=v2", "-z", "--ignore-submodules=dirty", "--untracked-files=no"];
    const status2 = await git(folder, args, { env: { ...inner, ...guard2 } });
    if (status2.code !== 0) return `the submodule ${path}: git status: ${gitError(status2)}`;
    return status2.stdout === "" ? void 0 : `the submodule ${path} holds changes that are in no commit of its own`;
  });
}
async function eachInside(top, env, visit3, within = "") {
  if (!(0, import_node_fs17.existsSync)((0, import_node_path12.join)(top, within, ".gitmodules"))) return void 0;
  for (const name2 of await commitsIn((0, import_node_path12.join)(top, within), env)) {
    const path = (0, import_node_path12.join)(within, name2);
    if (wayTo(top, `${path}/.git`, false) !== "there" || infoAt((0, import_node_path12.join)(top, path, ".git")) === void 0)
      continue;
    const inner = { ...env, ...NOT_INHERITED, GIT_DIR: (0, import_node_path12.join)(top, path, ".git") };
    const said = await visit3(path, inner) ?? await eachInside(top, inner, visit3, path);
    if (said !== void 0) return said;
  }
  return void 0;
}
var NOT_INHERITED = {
  GIT_WORK_TREE: void 0,
  GIT_INDEX_FILE: void 0,
  GIT_OBJECT_DIRECTORY: void 0,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: void 0
};
async function commitsIn(folder, env) {
  return (await gitList(folder, ["ls-files", "--stage", "-z"], env) ?? []).filter((line) => line.startsWith("160000 ")).map((line) => line.slice(line.indexOf("	") + 1));
}

// src/snapshot/planted.ts
var import_node_fs18 = require("node:fs");
var import_node_path13 = require("node:path");
var LONGEST2 = 80;
function refusePlanted(now2, lastRun) {
  const file = (0, import_node_path13.join)(lastRun, "git.json");
  const before = (0, import_node_fs18.existsSync)(file) ? JSON.parse((0, import_node_fs18.readFileSync)(file, "utf8")) : void 0;
  const known3 = new Map(before?.inside ?? []);
  const top = before?.gitDir === now2.gitDir ? [] : now2.programs;
  const planted = [
    ...added(top, before?.programs).map((entry2) => ({ where: "", entry: entry2 })),
    ...(now2.inside ?? []).flatMap(
      ([where2, named]) => added(named, known3.get(where2)).map((entry2) => ({ where: where2, entry: entry2 }))
    )
  ];
  const [first] = planted;
  if (first === void 0) return;
  const { where, entry } = first;
  const at = where === "" ? "" : `-C ${JSON.stringify(where)} `;
  throw new UserError(
    "a repository here may have been set up by an agent",
    `since the last run its config names a program: ${plain(entry.join(" = ")).slice(0, LONGEST2)}`,
    `Look at it. If it is yours, put it into your own configuration (git config --global); otherwise: git ${at}config --unset ${plain(entry[0])}`
  );
}
function added(now2, before = []) {
  return now2.filter(([key2, value]) => value !== "" && !before.some(([k, v]) => k === key2 && v === value));
}

// src/snapshot/tree.ts
var TreeMeter = class {
  #project;
  #place;
  #index;
  #env;
  constructor({ project, folder, env }, place2) {
    this.#project = project;
    this.#place = place2;
    this.#index = (0, import_node_path14.join)(folder, "index");
    this.#env = {
      ...env,
      GIT_DIR: place2.gitDir,
      GIT_WORK_TREE: place2.top,
      GIT_INDEX_FILE: this.#index,
      GIT_OBJECT_DIRECTORY: (0, import_node_path14.join)(folder, "objects"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: place2.objects,
      GIT_EXEC_PATH: standIn2(folder)
    };
  }
  /** The top folder of the work tree. */
  get top() {
    return this.#place.top;
  }
  /** The programs that the repository's config named before the agent ever ran. */
  get programs() {
    return new Map(this.#place.programs);
  }
  async measure() {
    const env = await this.#guarded();
    if (env === void 0) return { fault: "git cannot read the repository's configuration" };
    const unclear = await unclearInside(this.#place.top, env, this.#inside);
    if (unclear !== void 0) return { fault: unclear };
    (0, import_node_fs19.rmSync)(`${this.#index}.lock`, { force: true });
    const added2 = await git(this.#project, ["add", "--all", "--", ":/", ...NOT_IN_IT], { env });
    if (added2.code !== 0) return { fault: `git add: ${gitError(added2)}` };
    const tree = await git(this.#project, ["write-tree"], { env });
    return tree.code === 0 ? { name: tree.stdout.trim() } : { fault: `git write-tree: ${gitError(tree)}` };
  }
  /** Files in which a commit differs from a tree that was measured. */
  async differences(tree, commit) {
    const env = await this.#guarded();
    const diff = await git(this.#project, ["diff-tree", "-r", "--name-only", "-z", tree, commit], {
      env: env ?? this.#env
    });
    if (diff.code !== 0) return [`(git diff-tree: ${gitError(diff)})`];
    return diff.stdout.split("\0").filter((name2) => name2 !== "");
  }
  /** Files, from the top, in which a tree that was measured differs from the last commit; all of them before the first. */
  async uncommitted(tree) {
    const env = await this.#guarded() ?? this.#env;
    const head = await git(this.#project, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { env });
    const args = head.code === 0 ? ["diff-tree", "-r", "--name-only", "-z", "--no-renames", head.stdout.trim(), tree] : ["ls-tree", "-r", "--name-only", "-z", "--full-tree", tree];
    return await gitList(this.#project, args, env) ?? { fault: "git cannot compare with the last commit" };
  }
  /** Takes over what the user's index knows, without its flags: a file that it hides is looked at all the same. */
  async prepare(userIndex) {
    (0, import_node_fs19.mkdirSync)((0, import_node_path14.join)(this.#env["GIT_OBJECT_DIRECTORY"] ?? ""), { recursive: true, mode: 448 });
    if (!copyIndex(userIndex, this.#index)) return;
    const listed = await gitList(this.#project, ["ls-files", "-v", "-z", "--full-name", ":/"], this.#env);
    if (listed === void 0) return (0, import_node_fs19.rmSync)(this.#index, { force: true });
    const flagged = listed.filter((entry) => /^(?:[a-z]|S) /.test(entry)).map((entry) => entry.slice(2)).filter((name2) => infoAt((0, import_node_path14.join)(this.#place.top, name2)) !== void 0);
    if (flagged.length === 0) return;
    const clear = ["update-index", "--no-assume-unchanged", "--no-skip-worktree", "-z", "--stdin"];
    await git(this.#place.top, clear, { env: this.#env, stdin: flagged.join("\0") });
  }
  async #guarded() {
    const guard2 = await guardEnvironment(this.#project, this.programs, this.#env);
    return guard2 === void 0 ? void 0 : { ...this.#env, ...guard2 };
  }
  get #inside() {
    return new Map((this.#place.inside ?? []).map(([path, programs]) => [path, new Map(programs)]));
  }
};
async function openTreeMeter(setup) {
  const { project, folder } = setup;
  const kept = (0, import_node_path14.join)(folder, "git.json");
  if ((0, import_node_fs19.existsSync)(kept)) return new TreeMeter(setup, JSON.parse((0, import_node_fs19.readFileSync)(kept, "utf8")));
  const asked = await git(project, [
    "rev-parse",
    "--path-format=absolute",
    "--show-toplevel",
    "--absolute-git-dir",
    "--git-path",
    "objects",
    "--git-path",
    "index"
  ]);
  const [top, gitDir, objects, index] = asked.stdout.split("\n");
  if (asked.code !== 0 || !top || !gitDir || !objects || !index) return void 0;
  const programs = await readPrograms(project);
  if (programs === void 0) return void 0;
  const inside = [...await innerPrograms(top, {})].map(([path, named]) => [path, [...named]]);
  const place2 = { top, gitDir, objects: (0, import_node_path14.resolve)(project, objects), programs: [...programs], inside };
  if (setup.lastRun !== void 0) refusePlanted(place2, setup.lastRun);
  (0, import_node_fs19.mkdirSync)(folder, { recursive: true, mode: 448 });
  const meter = new TreeMeter(setup, place2);
  await meter.prepare((0, import_node_path14.resolve)(project, index));
  (0, import_node_fs19.writeFileSync)(kept, JSON.stringify(place2), { mode: 384, flush: true });
  return meter;
}
function standIn2(folder) {
  const bin = (0, import_node_path14.join)(folder, "bin");
  const program = (0, import_node_path14.join)(bin, "git");
  (0, import_node_fs19.mkdirSync)(bin, { recursive: true, mode: 448 });
  if (!(0, import_node_fs19.existsSync)(program)) (0, import_node_fs19.writeFileSync)(program, STAND_IN, { mode: 448 });
  return bin;
}
var NOT_IN_IT = RUNTIME_PATTERNS.map((pattern) => `:(exclude)${pattern}`);
function copyIndex(from, to) {
  let fd;
  try {
    fd = (0, import_node_fs19.openSync)(from, import_node_fs19.constants.O_RDONLY | import_node_fs19.constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
  try {
    const info = (0, import_node_fs19.fstatSync)(fd);
    if (!info.isFile()) return false;
    (0, import_node_fs19.writeFileSync)(to, (0, import_node_fs19.readFileSync)(fd), { mode: 384 });
    const copy = (0, import_node_fs19.openSync)(to, "r+");
    (0, import_node_fs19.futimesSync)(copy, info.atime, info.mtime);
    (0, import_node_fs19.closeSync)(copy);
    (0, import_node_fs19.chmodSync)(to, 384);
    return true;
  } finally {
    (0, import_node_fs19.closeSync)(fd);
  }
}

// src/snapshot/seed.ts
async function seedIndex(shadow, userIndex) {
  const index = (0, import_node_path15.join)(shadow.folder, "index");
  if (!copyIndex(userIndex, index)) return;
  if (!await leaveOut(shadow)) for (const file of [index, `${index}.lock`]) (0, import_node_fs20.rmSync)(file, { force: true });
}
async function leaveOut(shadow) {
  const listed = await shadow.collect(["ls-files", "-v", "--stage", "-z"]);
  if ("fault" in listed) return false;
  const entries = zeroSeparated(listed).map(entryOf);
  if (!entries.every((entry) => isText(entry.path))) return false;
  const files = entries.filter((entry) => entry.mode !== "160000");
  const sizes = await sizesOf(shadow, files);
  const converted = await converts(shadow, files);
  if (sizes === void 0 || converted === void 0) return false;
  const unsure = files.filter(
    (entry, at) => entry.isFlagged || converted.has(entry.path) || sizes[at] !== infoAt((0, import_node_path15.join)(shadow.top, entry.path))?.size
  );
  const args = ["update-index", "--index-version", "4", "--force-remove", "-z", "--stdin"];
  const removed2 = await shadow.git(args, { stdin: unsure.map((entry) => `${entry.path}\0`).join("") });
  return removed2.code === 0;
}
function entryOf(line) {
  const tab = line.indexOf("	");
  const [tag = "", mode = "", id = ""] = line.slice(0, tab).split(" ");
  return { isFlagged: !/^[A-RT-Z]$/.test(tag), mode, id, path: line.slice(tab + 1) };
}
async function sizesOf(shadow, entries) {
  const stdin = entries.map((entry) => `${entry.id}
`).join("");
  const asked = await shadow.collect(["cat-file", "--batch-check=%(objectsize)"], { stdin });
  if ("fault" in asked) return void 0;
  const lines = asked.toString("latin1").split("\n");
  return entries.map((_, at) => /^\d+$/.test(lines[at] ?? "") ? Number(lines[at]) : void 0);
}
async function converts(shadow, entries) {
  const chunks = [];
  const stdin = entries.map((entry) => `${entry.path}\0`).join("");
  const asked = await gitBytes(
    shadow.top,
    ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding"],
    { stdin },
    (chunk) => void chunks.push(chunk)
  );
  if (asked.code !== 0) return void 0;
  const words = zeroSeparated(Buffer.concat(chunks));
  const found = /* @__PURE__ */ new Set();
  for (let at = 0; at + 2 < words.length; at += 3) {
    if (words[at + 2] !== "unspecified" && words[at + 2] !== "unset") found.add(words[at] ?? "");
  }
  return found;
}

// src/snapshot/shadow.ts
var RESTORING = ".ralph-restoring";
var NOT_THE_WORK = ["node_modules", ".venv", "__pycache__"];
var MOST_RULES_BYTES = 1024 * 1024;
var CONFIG = `
[core]
	autocrlf = false
	safecrlf = false
	excludesFile = /dev/null
	attributesFile = /dev/null
	untrackedCache = false
	splitIndex = false
	sparseCheckout = false
	createObject = rename
	looseCompression = 0
[index]
	version = 4
	skipHash = true
[gc]
	auto = 0
`;
var ATTRIBUTES = "* -text !eol !crlf !ident !filter !working-tree-encoding !diff !merge\n";
var Shadow = class {
  folder;
  project;
  top;
  /** Is the project in a git repository of the user's? */
  isRepository;
  #env;
  /** `env` goes to every git: by it one that outlives a killed run is found and ended. */
  constructor(folder, place2, env = {}) {
    this.#env = env;
    this.folder = folder;
    this.project = place2.project;
    this.top = place2.top;
    this.isRepository = place2.repository !== void 0;
  }
  /** Runs git on the shadow repository and the user's files. */
  git(args, options = {}) {
    return git(options.cwd ?? this.top, args, this.#options(options));
  }
  /** The same for answers that are not text. */
  bytes(args, onStdout, options = {}) {
    return gitBytes(options.cwd ?? this.top, args, this.#options(options), onStdout);
  }
  /** The whole answer as bytes, or why there is none. */
  async collect(args, options = {}) {
    const chunks = [];
    const done = await this.bytes(args, (chunk) => void chunks.push(chunk), options);
    return done.code === 0 ? Buffer.concat(chunks) : { fault: `git ${args[0]}: ${gitError(done)}` };
  }
  #options({ index = "index", workTree = this.top, stdin }) {
    const env = {
      ...this.#env,
      LC_ALL: "C",
      GIT_DIR: this.folder,
      GIT_COMMON_DIR: void 0,
      GIT_WORK_TREE: workTree,
      GIT_INDEX_FILE: (0, import_node_path16.join)(this.folder, index),
      GIT_OBJECT_DIRECTORY: (0, import_node_path16.join)(this.folder, "objects"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: void 0,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_ATTR_NOSYSTEM: "1",
      GIT_EXEC_PATH: (0, import_node_path16.join)(this.folder, "bin")
    };
    return { env, ...stdin === void 0 ? {} : { stdin } };
  }
};
function snapshotsIn(runFolder2) {
  return (0, import_node_path16.join)(runFolder2, "snapshots");
}
function knownShadow(runFolder2, env = {}) {
  const folder = snapshotsIn(runFolder2);
  const kept = (0, import_node_path16.join)(folder, "place.json");
  return (0, import_node_fs21.existsSync)(kept) ? new Shadow(folder, JSON.parse((0, import_node_fs21.readFileSync)(kept, "utf8")), env) : void 0;
}
async function openShadow(project, runFolder2, env = {}) {
  const known3 = knownShadow(runFolder2, env);
  if (known3 !== void 0) return known3;
  const folder = snapshotsIn(runFolder2);
  const kept = (0, import_node_path16.join)(folder, "place.json");
  const place2 = await look((0, import_node_path16.resolve)(project));
  if ("fault" in place2) return place2;
  (0, import_node_fs21.rmSync)(folder, { recursive: true, force: true });
  (0, import_node_fs21.mkdirSync)(folder, { recursive: true, mode: 448 });
  const shadow = new Shadow(folder, place2, env);
  const made = await shadow.git(["init", "--quiet", "--template=", `--object-format=${place2.format}`]);
  if (made.code !== 0) return { fault: `git init: ${gitError(made)}` };
  (0, import_node_fs21.appendFileSync)((0, import_node_path16.join)(folder, "config"), CONFIG);
  (0, import_node_fs21.mkdirSync)((0, import_node_path16.join)(folder, "info"));
  (0, import_node_fs21.mkdirSync)((0, import_node_path16.join)(folder, "bin"));
  (0, import_node_fs21.writeFileSync)((0, import_node_path16.join)(folder, "bin", "git"), "#!/bin/sh\nexit 0\n", { mode: 448 });
  (0, import_node_fs21.writeFileSync)((0, import_node_path16.join)(folder, "info", "attributes"), ATTRIBUTES);
  (0, import_node_fs21.writeFileSync)(
    (0, import_node_path16.join)(folder, "info", "exclude"),
    `${await rulesOf(place2)}
${RESTORING}
${notOurs(place2, runFolder2)}`
  );
  if (place2.repository !== void 0) {
    shareObjects(place2.repository.objects, (0, import_node_path16.join)(folder, "objects"));
    await seedIndex(shadow, place2.repository.index);
  }
  (0, import_node_fs21.writeFileSync)(`${kept}.new`, JSON.stringify(place2), { mode: 384 });
  (0, import_node_fs21.renameSync)(`${kept}.new`, kept);
  return shadow;
}
async function look(project) {
  const inside = await git(project, ["rev-parse", "--is-inside-work-tree"], { env: { LC_ALL: "C" } });
  if (inside.error !== void 0) return { fault: `git cannot be started (${inside.error})` };
  if (inside.code !== 0) {
    if (/not a git repository/.test(inside.stderr)) return { project, top: project, format: "sha1" };
    return { fault: gitError(inside) };
  }
  if (inside.stdout.trim() !== "true")
    return { fault: "this is a bare repository or the inside of .git: no files stand in it" };
  const asked = await git(project, [
    "rev-parse",
    "--path-format=absolute",
    "--show-object-format",
    "--show-toplevel",
    ...["objects", "index", "info/exclude"].flatMap((path) => ["--git-path", path])
  ]);
  const [format3, top, objects, index, exclude, ...more] = asked.stdout.trimEnd().split("\n");
  if (asked.code !== 0) return { fault: gitError(asked) };
  if (!format3 || !top || !objects || !index || !exclude || more.length > 0)
    return { fault: "git does not say where the repository is" };
  return { project, top, format: format3, repository: { objects, index, exclude } };
}
function notOurs({ top }, runFolder2) {
  const way = (0, import_node_path16.relative)((0, import_node_fs21.realpathSync)(top), (0, import_node_fs21.realpathSync)((0, import_node_path16.dirname)(runFolder2)));
  if (way === "" || way.startsWith("..") || (0, import_node_path16.isAbsolute)(way)) return "";
  return `/${way.replace(/[\\*?[\] ]/g, "\\$&")}/
`;
}
async function rulesOf(place2) {
  if (place2.repository === void 0) return NOT_THE_WORK.map((name2) => `${name2}/
`).join("");
  const asked = await git(place2.top, ["config", "--type=path", "--get", "core.excludesFile"]);
  const config = process.env["XDG_CONFIG_HOME"] || (0, import_node_path16.join)((0, import_node_os7.homedir)(), ".config");
  const general = asked.code === 0 ? asked.stdout.replace(/\n$/, "") : (0, import_node_path16.join)(config, "git", "ignore");
  return [(0, import_node_path16.resolve)(place2.top, general), place2.repository.exclude].map(rulesIn).join("\n");
}
function rulesIn(file) {
  try {
    return readPlain(file, MOST_RULES_BYTES);
  } catch {
    return "";
  }
}

// src/snapshot/take.ts
var import_node_fs22 = require("node:fs");
var import_node_path17 = require("node:path");
var MOST_FILES = 5e4;
var MOST_BYTES2 = 1024 ** 3;
var ELSEWHERE = /* @__PURE__ */ new Set([".git", ...NOT_THE_WORK]);
var MOST_LEFT_OUT = 20;
async function takeSnapshot(shadow, label, how = {}) {
  const isFirst2 = !(0, import_node_fs22.existsSync)(emptyFoldersFile(shadow));
  const written = await write(shadow, isFirst2, "index", how);
  if ("fault" in written) return written;
  if (isFirst2) {
    const fault = await rememberPrivate(shadow) ?? await rememberEmptyFolders(shadow);
    if (fault !== void 0) return fault;
  }
  if (label !== void 0) keep(shadow, label, written.name);
  return written;
}
async function write(shadow, isFirst2, index, how) {
  if (isFirst2 && !shadow.isRepository) {
    const size = sizeOf(Buffer.from(shadow.top), { files: 0, bytes: 0 });
    if (size !== void 0) return { fault: size };
  }
  (0, import_node_fs22.rmSync)((0, import_node_path17.join)(shadow.folder, `${index}.lock`), { force: true });
  const cwd = (0, import_node_fs22.existsSync)(shadow.project) ? shadow.project : shadow.top;
  const without = [];
  for (; ; ) {
    const out = without.map((path) => `:(top,exclude,literal)${path}`);
    const added2 = await shadow.git(["add", "--all", "--", ":/", ...NOT_IN_IT, ...out], { cwd, index });
    if (added2.code === 0) break;
    if (await forgetOddFiles(shadow, index)) continue;
    const [, young] = /^error: '(.+)\/' does not have a commit checked out$/ms.exec(added2.stderr) ?? [];
    if (how.mayLeaveOut !== true || young === void 0 || without.length === MOST_LEFT_OUT)
      return { fault: `git add: ${gitError(added2)}` };
    without.push(young);
  }
  const sure = borrows(shadow) ? [] : ["--missing-ok"];
  const written = await shadow.git(["write-tree", ...sure], { index });
  if (written.code !== 0) return { fault: `git write-tree: ${gitError(written)}` };
  return { name: written.stdout.trim(), ...without.length === 0 ? {} : { without } };
}
async function forgetOddFiles(shadow, index) {
  const listed = await shadow.git(["ls-files", "-z", "--full-name", ":/"], { index });
  const odd = listed.stdout.split("\0").filter((path) => {
    const info = path === "" ? void 0 : infoAt((0, import_node_path17.join)(shadow.top, path));
    return info !== void 0 && !info.isFile() && !info.isDirectory() && !info.isSymbolicLink();
  });
  if (listed.code !== 0 || odd.length === 0) return false;
  const stdin = odd.map((path) => `${path}\0`).join("");
  return (await shadow.git(["update-index", "--force-remove", "-z", "--stdin"], { index, stdin })).code === 0;
}
function findSnapshot(shadow, label) {
  const file = refFile(shadow, label);
  const name2 = (0, import_node_fs22.existsSync)(file) ? (0, import_node_fs22.readFileSync)(file, "utf8").trim() : "";
  return /^[0-9a-f]{40,64}$/.test(name2) ? name2 : void 0;
}
var PRIVATE = "private-files.json";
var OTHERS = 63;
async function rememberPrivate(shadow) {
  const listed = await shadow.collect(["ls-files", "-z", "--full-name", ":/"]);
  if ("fault" in listed) return listed;
  const mine = zeroSeparated(listed).filter((path) => {
    const info = (0, import_node_fs22.lstatSync)(below(shadow.top, path), { throwIfNoEntry: false });
    return info?.isFile() === true && (info.mode & OTHERS) === 0;
  });
  (0, import_node_fs22.writeFileSync)((0, import_node_path17.join)(shadow.folder, PRIVATE), JSON.stringify(mine));
  return void 0;
}
function keep(shadow, label, name2) {
  (0, import_node_fs22.mkdirSync)((0, import_node_path17.join)(shadow.folder, "refs", "ralph"), { recursive: true });
  (0, import_node_fs22.writeFileSync)(refFile(shadow, label), `${name2}
`);
}
function refFile(shadow, label) {
  if (!/^\w[\w-]*$/.test(label)) throw new Error(`no label of a snapshot: ${label}`);
  return (0, import_node_path17.join)(shadow.folder, "refs", "ralph", label);
}
async function rememberEmptyFolders(shadow) {
  const listed = await shadow.collect(["ls-files", "--others", "--directory", "--exclude-standard", "-z"]);
  if ("fault" in listed) return listed;
  const folders = zeroSeparated(listed).filter((name2) => name2.endsWith("/"));
  (0, import_node_fs22.writeFileSync)(emptyFoldersFile(shadow), JSON.stringify(folders.map((name2) => name2.slice(0, -1))));
  return void 0;
}
function emptyFoldersFile(shadow) {
  return (0, import_node_path17.join)(shadow.folder, "empty-folders.json");
}
function sizeOf(folder, sum) {
  for (const name2 of namesIn(folder)) {
    if (ELSEWHERE.has(name2.toString("latin1"))) continue;
    const path = Buffer.concat([folder, Buffer.from("/"), name2]);
    const info = (0, import_node_fs22.lstatSync)(path, { throwIfNoEntry: false });
    sum.files += 1;
    sum.bytes += info?.isFile() === true ? info.size : 0;
    if (sum.files > MOST_FILES)
      return `outside git, a folder of more than ${MOST_FILES} files has no snapshots`;
    if (sum.bytes > MOST_BYTES2) return "outside git, a folder of more than 1 GB has no snapshots";
    const inner = info?.isDirectory() === true ? sizeOf(path, sum) : void 0;
    if (inner !== void 0) return inner;
  }
  return void 0;
}
function namesIn(folder) {
  try {
    return (0, import_node_fs22.readdirSync)(folder, { encoding: "buffer" });
  } catch {
    return [];
  }
}

// src/loop/snapshots.ts
var BEFORE = (iteration) => `before-${iteration}`;
var AT_END = "end";
function keepSnapshots({ project, folder, opening }) {
  let last = opening;
  const take = async (label) => {
    const shadow = await opening;
    if ("fault" in shadow) return { snapshotFault: shadow.fault };
    const isKnown = label !== AT_END && findSnapshot(shadow, label) !== void 0;
    const [taken, standing] = await Promise.all([
      takeSnapshot(shadow, isKnown ? void 0 : label, { mayLeaveOut: true }),
      shadow.isRepository ? standsOn(project) : {}
    ]);
    return { ..."fault" in taken ? { snapshotFault: taken.fault } : { snapshot: taken.name }, ...standing };
  };
  return {
    path: snapshotsIn(folder),
    take: (label) => {
      const taking = take(label).catch((error) => ({ snapshotFault: messageOf(error) }));
      last = taking;
      return taking;
    },
    settled: () => last
  };
}
function openStore({
  project,
  folder,
  run
}) {
  return openShadow(project, folder, { [RUN_VARIABLE]: run }).catch(faultOf);
}
function faultOf(error) {
  return { fault: messageOf(error) };
}

// src/version.ts
var VERSION = true ? "0.1.0" : "0.0.0-source";

// src/journal/short.ts
var STEP_BYTES = 4 * 1024;

// src/loop/limits.ts
var MAX_ROUNDS = 3;
var FIRST_WAIT_MS = 3e4;
var LONGEST_WAIT_MS = 60 * 6e4;
var LONGEST_TOLD_MS = 32 * 24 * 60 * 6e4;
var JITTER = 0.1;
function isWaitable(ending) {
  return ending.kind === "limited" && ending.scope !== "context";
}
function waitUntil(facts) {
  const { atMs, earlier } = facts;
  const backOffMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(earlier, 20), LONGEST_WAIT_MS);
  const jitterMs = Math.floor(fractionOf(`${facts.seed} ${atMs}`) * backOffMs * JITTER);
  const told = facts.retryAtMs ?? 0;
  const isCredible = told > atMs && told <= atMs + LONGEST_TOLD_MS;
  if (!isCredible) return atMs + backOffMs + jitterMs;
  return (earlier === 0 ? told : Math.max(told, atMs + backOffMs)) + jitterMs;
}
function fractionOf(text4) {
  let hash = 2166136261;
  for (let n = 0; n < text4.length; n++) hash = Math.imul(hash ^ text4.charCodeAt(n), 16777619);
  return (hash >>> 0) / 2 ** 32;
}
function describeEnding(ending) {
  switch (ending.kind) {
    case "finished":
      return "finished";
    case "error":
    case "unauthorised":
    case "not-started":
      return ending.message;
    case "limited":
      return ending.scope === "context" ? `ran out of context (${ending.message})` : ending.message;
    case "killed":
      return KILLED[ending.why];
  }
}
var KILLED = {
  idle: "was silent for too long and was ended",
  timeout: "took longer than its time limit and was ended",
  stopped: "was ended because the run was stopped",
  limit: "used more memory or processes than the sandbox allows and was ended",
  signal: "was killed by a signal"
};

// src/loop/held.ts
function heldAfter(state, event) {
  const { agent: agent2 } = state;
  const { ending } = event;
  if (ending.kind === "killed" && ending.why === "stopped") return state.held;
  const others = state.held.filter((hold) => hold.agent !== agent2);
  if (agent2 > 0 && (ending.kind === "unauthorised" || ending.kind === "not-started")) {
    const never = { untilMs: event.at, times: Number.POSITIVE_INFINITY, offline: false };
    return [...others, { agent: agent2, why: ending.message, ...never }];
  }
  if (!isWaitable(ending)) return others;
  const earlier = state.held.find((hold) => hold.agent === agent2);
  return [...others, { agent: agent2, ...heldFor({ ...event, ending }, earlier, `${event.run} ${agent2}`) }];
}
function answerHeld(state, event) {
  const { from } = event;
  return { answerHeld: { ...heldFor(event, state.answerHeld, `${event.run} ${from}`), from } };
}
function heldFor({ at, ending }, before, seed) {
  const earlier = before?.times ?? 0;
  const untilMs = waitUntil({ atMs: at, retryAtMs: ending.retryAtMs, earlier, seed });
  return { untilMs, why: ending.message, offline: ending.scope === "offline", times: earlier + 1 };
}

// src/loop/session-state.ts
function withSessionTurn(state, { toolCalls, changed, spoken }) {
  return {
    toolCalls: state.toolCalls + toolCalls,
    treeChanged: changed === true,
    // The program counts anew when a tool was used, and when its user said something.
    sentBack: toolCalls > 0 || spoken === true ? 0 : state.sentBack
  };
}
function promiseOf(state, spec) {
  if ((spec.claim.promise ?? "") === "") return "none";
  if (state.claims.promise !== true) return "missing";
  const { session } = spec;
  if (session === void 0 || session.onNoWork !== "reject") return "stands";
  const worked = state.toolCalls >= session.minToolCalls || session.uncounted === true && state.treeChanged;
  return worked ? "stands" : "without-work";
}
function lacksPromise(state) {
  const { spec } = state;
  if (spec === void 0) return false;
  const promise = promiseOf(state, spec);
  return promise === "missing" || promise === "without-work";
}

// src/loop/state.ts
var INITIAL = {
  run: "",
  startedAtMs: 0,
  phase: "ready",
  iteration: 0,
  round: 1,
  verdicts: [],
  treeMoved: false,
  claims: {},
  feedback: [],
  onlyDenials: false,
  noProgress: 0,
  failures: 0,
  toolCalls: 0,
  treeChanged: false,
  inSession: false,
  sentBack: 0,
  empties: 0,
  taskNotes: [],
  putBack: [],
  green: [],
  reopened: false,
  onlyLogged: false,
  agent: 0,
  held: [],
  countFromMs: 0,
  waitedMs: 0,
  nowMs: 0,
  doneRefused: false,
  childrenSettled: false,
  rested: true,
  turnEndedMs: 0,
  commitMessage: "",
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 }
};

// src/loop/task-state.ts
var MOST_EMPTIES = 3;
function withTask(state, { task }) {
  const { task: _task, taskResult: _result, ...rest } = state;
  const fresh = { ...rest, reopened: false, onlyLogged: false, putBack: [] };
  if (task === void 0) return fresh;
  const { list, prd, prompt } = task;
  const trust = {
    list,
    ...prd === void 0 ? {} : { prd },
    ...prompt === void 0 ? {} : { prompt }
  };
  return { ...fresh, task, trust };
}
function withTaskResult(state, event) {
  const { tasks: tasks3 } = event;
  const counted = {
    ...state,
    empties: event.empty === true ? state.empties + 1 : 0,
    onlyLogged: event.onlyLogged === true
  };
  if (tasks3 === void 0) return counted;
  const isTold = event.ending.kind === "finished" && event.empty !== true;
  return {
    ...counted,
    ...believing(state, tasks3.list),
    taskResult: tasks3,
    taskNotes: isTold ? tasks3.notes : [.../* @__PURE__ */ new Set([...state.taskNotes, ...tasks3.notes])],
    putBack: [.../* @__PURE__ */ new Set([...state.putBack, ...tasks3.putBack ?? []])]
  };
}
function foundDone(state, { list }) {
  if (list === void 0) return { ...state, claims: { done: true } };
  const { task: _task, taskResult: _result, ...rest } = state;
  return { ...rest, ...believing(state, list), claims: { tasks: true }, reopened: false };
}
function withReopened(state, { list }) {
  const { tasks: _tasks, ...claims } = state.claims;
  return { ...state, ...believing(state, list), claims, reopened: true };
}
function resumedTasks(state, before) {
  if (state.spec?.work.kind !== "tasks") return state;
  const { trust: _trust, task: _task, taskResult: _result, answerHeld: _held, ...rest } = state;
  const unspent = before === "prompted" ? 1 : 0;
  return { ...rest, claims: {}, phase: "ready", iteration: state.iteration - unspent };
}
function greenWith(green, { gate: gate2, verdict }) {
  return verdict.pass && !green.includes(gate2) ? [...green, gate2] : green;
}
function believing(state, list) {
  return { trust: { ...state.trust, list } };
}

// src/loop/progress.ts
function withProgress(state, before = []) {
  if (state.turnTree === void 0 || state.verdicts.some((verdict) => verdict.unjudged === true))
    return state;
  const measured = { tree: state.turnTree, ...failureOf(state.verdicts) };
  const earlier = state.measured;
  if (earlier === void 0) return { ...state, measured };
  const repeated = measured.failure !== "" && measured.failure === earlier.failure && measured.errors === earlier.errors;
  const moved = measured.tree !== earlier.tree && !repeated && !state.onlyLogged;
  if (!moved) return { ...state, measured, noProgress: state.noProgress + 1 };
  const { noProgress } = state;
  const isJudged = state.spec?.judge?.progress === true && state.spec.limits.noProgress > 0;
  const compared = isJudged && measured.failure !== "" && before.length > 0 && state.iteration > 1 ? { compared: { feedback: before, tree: earlier.tree, noProgress } } : {};
  return { ...state, measured, noProgress: 0, ...compared };
}
function withJudgedProgress(state, progress2) {
  const { compared, ...rest } = state;
  if (compared === void 0 || progress2 !== false) return rest;
  return { ...rest, noProgress: compared.noProgress + 1 };
}
function failureOf(verdicts) {
  const failed2 = verdicts.flatMap(
    (verdict, gate2) => verdict.pass ? [] : [{ gate: gate2, output: verdict.output }]
  );
  return {
    // Times and counts differ from run to run; what remains tells one failure from another.
    failure: failed2.map(({ gate: gate2, output: output2 }) => `${gate2}:${output2.replace(/\d+/g, "#")}`).join("\n"),
    errors: failed2.reduce((sum, { output: output2 }) => sum + (output2.match(/\b(?:error|fail)/gi)?.length ?? 0), 0)
  };
}

// src/loop/resumed.ts
function resumed(state, event) {
  const { stop: _stop, fatal: _fatal, outcome, phaseBefore, compared, answerHeld: waiting, ...rest } = state;
  const hadEnded = state.phase === "ended";
  const goesOn = !hadEnded || outcome?.kind === "stopped" || outcome?.kind === "failed" || waiting !== void 0;
  const pending = goesOn && compared !== void 0 ? { compared } : {};
  const phase = hadEnded ? (goesOn ? phaseBefore : void 0) ?? "ready" : state.phase;
  const counts = hadEnded ? { failures: 0, noProgress: 0, countFromMs: event.at, waitedMs: 0 } : {};
  const backMs = Math.max(0, state.turnEndedMs - event.at);
  const turnEndedMs = state.turnEndedMs - backMs;
  const held = goesOn ? state.held.map((hold) => ({ ...hold, untilMs: hold.untilMs - backMs })) : [];
  const spec = state.spec === void 0 ? {} : { spec: changedBy(state.spec, event) };
  const next = {
    ...rest,
    ...spec,
    ...pending,
    ...meansOf(event),
    ...counts,
    turnEndedMs,
    held,
    ...waiting === void 0 || outcome?.kind === "waiting" ? {} : { answerHeld: { ...waiting, untilMs: waiting.untilMs - backMs } },
    phase,
    inSession: false,
    sentBack: 0
  };
  return hadEnded ? resumedTasks(next, phaseBefore ?? "ready") : next;
}
function changedBy(spec, { iterations, sandbox: sandbox2 }) {
  return {
    ...spec,
    ...iterations === void 0 ? {} : { limits: { ...spec.limits, iterations } },
    ...sandbox2 === void 0 ? {} : { sandbox: sandbox2 }
  };
}
function meansOf({ means }) {
  return means === void 0 ? {} : { means };
}

// src/loop/evolve.ts
function evolve(before, event) {
  if (before.phase === "ended" && event.type !== "run.resumed") return before;
  const state = { ...before, nowMs: event.at };
  switch (event.type) {
    case "run.started":
      return started(state, event);
    case "iteration.started":
      return begun(state, event);
    case "agent.started":
      return { ...state, process: event.process };
    case "agent.exited":
      return exited(state, event);
    case "gate.judged":
      return judged(state, event);
    case "answer.held":
      return { ...state, usage: addUsage(state.usage, event.usage), ...answerHeld(state, event) };
    case "progress.judged":
      return withJudgedProgress({ ...state, usage: addUsage(state.usage, event.usage) }, event.progress);
    case "commit.intended":
      return worded(state, event);
    case "committed":
      return committed(state, event);
    case "waited":
      return event.pause === true ? { ...state, ...pausedSince(before, event), rested: true } : { ...state, ...pausedSince(before, event), nowMs: Math.max(state.nowMs, event.untilMs) };
    case "done.found":
      return claimedDone({ ...foundDone(state, event), verdicts: [], round: 1 });
    case "story.reopened":
      return withReopened(state, event);
    case "children.settled":
      return { ...state, childrenSettled: true };
    case "run.resumed":
      return resumed({ ...state, ...pausedSince(before, event) }, event);
    case "stop.requested":
      return { ...state, stop: state.stop ?? event.by };
    case "run.faulted":
      return { ...state, fatal: { kind: "failed", reason: `${event.what}: ${event.why}`, fix: event.fix } };
    case "run.ended":
      return { ...state, phase: "ended", phaseBefore: state.phase, outcome: event.outcome };
  }
}
function pausedSince(before, event) {
  return { waitedMs: before.waitedMs + Math.max(0, event.at - before.nowMs) };
}
function started(state, event) {
  const withBaseline = event.spec.baseline && event.spec.gates.length > 0;
  return {
    ...state,
    run: event.run,
    spec: event.spec,
    startedAtMs: event.at,
    countFromMs: event.at,
    ...meansOf(event),
    phase: withBaseline ? "baseline" : "ready",
    inSession: event.spec.session !== void 0
  };
}
function begun(state, event) {
  const { turnTree: _old, compared: _compared, ...rest } = omitTree(state);
  const first = event.tree === void 0 ? {} : { measured: { tree: event.tree, failure: "", errors: 0 } };
  return {
    ...withTask(rest, event),
    ...first,
    phase: "prompted",
    iteration: event.iteration,
    agent: event.agent ?? 0,
    sentBack: state.inSession && event.iteration > 1 ? state.sentBack + 1 : 0,
    round: 1,
    verdicts: [],
    claims: {}
  };
}
function exited(state, event) {
  const { process: _gone, turnFailure, ...rest } = withTaskResult(state, event);
  const after = {
    ...rest,
    usage: addUsage(state.usage, event.usage),
    held: heldAfter(state, event),
    ...withSessionTurn(state, event),
    onlyDenials: event.denials > 0 && event.toolCalls <= event.denials,
    rested: false,
    turnEndedMs: event.at,
    ...event.tree === void 0 ? {} : { turnTree: event.tree }
  };
  const { ending } = event;
  const kept = turnFailure === void 0 ? {} : { turnFailure };
  const notCharged = { ...after, ...kept, phase: "ready", iteration: state.iteration - 1 };
  if (event.empty === true) {
    return after.empties <= MOST_EMPTIES ? notCharged : failed(after, "ended without a word, again and again");
  }
  if (ending.kind === "finished" || event.claims.done === true || event.claims.wait !== void 0) {
    return claimedDone({ ...after, claims: event.claims, failures: 0 });
  }
  if (ending.kind === "unauthorised" || ending.kind === "not-started") {
    if (state.agent > 0) return notCharged;
    const fix = "Log the agent in (or set its key), then start the run again.";
    return {
      ...after,
      fatal: {
        kind: "failed",
        reason: ending.kind === "unauthorised" ? `The agent was refused: ${ending.message}` : ending.message,
        fix: ending.kind === "unauthorised" ? fix : "Check agent.command; `ralph doctor` shows what is installed."
      }
    };
  }
  if (ending.kind === "killed" && ending.why === "stopped" && state.stop !== void 0) {
    return { ...after, phase: "ready", iteration: state.iteration - 1 };
  }
  return isWaitable(ending) ? notCharged : failed(after, describeEnding(ending));
}
function failed(state, turnFailure) {
  return { ...state, phase: "ready", failures: state.failures + 1, turnFailure };
}
function claimedDone(state) {
  if (lacksPromise(state)) return { ...state, phase: "settled", feedback: [] };
  return hasGates(state) ? { ...state, phase: "judging" } : withProgress({ ...state, phase: "passed" });
}
function judged(state, event) {
  const verdicts = [...state.verdicts, event.verdict];
  const tree = event.gate === 0 ? event.treeBefore : state.tree;
  const moved = tree !== void 0 && event.treeAfter !== void 0 && tree !== event.treeAfter;
  const treeMoved = event.gate > 0 && state.treeMoved || moved;
  const rest = omitHeld(omitTree(state));
  const next = {
    ...rest,
    usage: addUsage(state.usage, event.usage),
    green: greenWith(state.green, event),
    verdicts,
    treeMoved,
    ...tree === void 0 ? {} : { tree }
  };
  if (verdicts.length < (state.spec?.gates.length ?? 0)) return next;
  const failed2 = verdicts.flatMap(
    (verdict, gate2) => verdict.pass || verdict.skipped !== void 0 ? [] : [{ gate: gate2, verdict }]
  );
  if (state.phase === "baseline") {
    const feedback = state.spec?.prompt.baselineFeedback ? failed2 : [];
    return { ...omitTree(next), phase: "ready", verdicts: [], feedback };
  }
  if (verdicts.some((verdict) => !verdict.pass)) {
    const doneRefused = state.doneRefused || state.claims.done === true;
    return withProgress({ ...next, phase: "settled", feedback: failed2, doneRefused }, state.feedback);
  }
  if (treeMoved)
    return judgeAgain(
      next,
      `the guardrails themselves change the files of the project every time they run; ${IGNORE}`
    );
  return withProgress({ ...next, phase: "passed", feedback: [] });
}
function worded(state, event) {
  const next = {
    ...omitHeld(state),
    usage: addUsage(state.usage, event.usage),
    commitMessage: event.message,
    ...event.head === void 0 ? {} : { commitHead: event.head },
    phase: "worded"
  };
  const changed = state.tree !== void 0 && event.tree !== void 0 && state.tree !== event.tree;
  return changed ? judgeAgain(next, "the turn that worded the commit message changes the files of the project every time") : next;
}
function committed(state, event) {
  const next = {
    ...omitHeld(state),
    phase: "settled",
    usage: addUsage(state.usage, event.usage)
  };
  const changed = state.tree !== void 0 && event.tree !== void 0 && state.tree !== event.tree;
  if (event.mismatch !== void 0)
    return judgeAgain(next, `what was committed is not what was judged (${event.mismatch})`);
  return changed ? judgeAgain(next, "the scm tasks change the files of the project every time") : next;
}
var IGNORE = "what they write belongs into .gitignore";
function judgeAgain(state, why) {
  const again = { ...omitTree(state), phase: "judging", round: state.round + 1, verdicts: [] };
  if (state.round < MAX_ROUNDS) return again;
  const last = state.verdicts.at(-1);
  const verdict = {
    pass: false,
    exitCode: last?.exitCode ?? null,
    wallMs: 0,
    logPath: last?.logPath ?? "",
    output: "",
    truncated: false,
    reason: `${why}, so that nothing is proven about what stands there`
  };
  return {
    ...state,
    phase: "settled",
    doneRefused: state.doneRefused || state.claims.done === true,
    verdicts: [verdict],
    feedback: [{ gate: state.verdicts.length - 1, verdict }]
  };
}
function omitTree(state) {
  const { tree: _tree, ...rest } = state;
  return rest;
}
function omitHeld(state) {
  const { answerHeld: _held, ...rest } = state;
  return rest;
}
function hasGates(state) {
  return (state.spec?.gates.length ?? 0) > 0;
}
function addUsage(a, b) {
  if (b === void 0) return a;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    costUsd: a.costUsd + b.costUsd
  };
}

// src/loop/prompt-copy.ts
var import_node_fs23 = require("node:fs");
var import_node_path18 = require("node:path");
function threeDigits(n) {
  return String(n).padStart(3, "0");
}
function promptCopy(folder, iteration) {
  return (0, import_node_path18.join)(folder, "prompts", `${threeDigits(iteration)}.txt`);
}
function keepPrompt(folder, iteration, prompt, { flush } = { flush: true }) {
  const path = promptCopy(folder, iteration);
  (0, import_node_fs23.mkdirSync)((0, import_node_path18.dirname)(path), { recursive: true, mode: 448 });
  (0, import_node_fs23.writeFileSync)(path, prompt, { mode: 384, flush });
}

// src/hooks/standing.ts
var import_node_fs25 = require("node:fs");
var import_node_path19 = require("node:path");

// src/journal/read.ts
var import_node_fs24 = require("node:fs");
function readJournal(path) {
  return eventsIn(textOf(path), path);
}
function eventsIn(text4, path) {
  const lines = text4.split("\n");
  lines.pop();
  return lines.map((line, index) => {
    const event = eventIn(line);
    if (event?.type === "run.started" && event.journal !== JOURNAL) {
      throw new UserError(
        "cannot read the run's journal",
        `${path} was written by ralph ${event.ralph}, in a way that this one does not know`,
        "Install that version, or start a new run."
      );
    }
    if (event !== void 0) return event;
    throw new UserError(
      "cannot read the run's journal",
      `line ${index + 1} of ${path} is damaged`,
      "Restore the file from a backup, or start a new run."
    );
  });
}
function textOf(path) {
  try {
    return (0, import_node_fs24.readFileSync)(path, "utf8");
  } catch (cause) {
    throw new UserError(
      "cannot read the run's journal",
      `${path} cannot be read (${codeOf(cause) ?? messageOf(cause)})`,
      "Put it back as it was, or start a new run.",
      { cause }
    );
  }
}
var JOURNAL = 1;
function eventIn(line) {
  try {
    const value = JSON.parse(line);
    return typeof value?.type === "string" && typeof value.at === "number" ? value : void 0;
  } catch {
    return void 0;
  }
}

// src/hooks/standing.ts
function journalOf({ folder }) {
  return (0, import_node_path19.join)(folder, "journal.ndjson");
}
function readStanding(marker) {
  const since = readSince(marker);
  if (since !== void 0) {
    const { kept, events: events2 } = since;
    const [, ...news] = events2;
    return { state: news.reduce(evolve, kept.state), recent: events2 };
  }
  const events = readJournal(journalOf(marker));
  return { state: events.reduce(evolve, INITIAL), recent: events };
}
function readSince(marker) {
  const kept = readKept(marker);
  if (kept === void 0) return void 0;
  const path = journalOf(marker);
  const fd = (0, import_node_fs25.openSync)(path, "r");
  try {
    const from = kept.upTo - Buffer.byteLength(kept.line);
    const bytes = Buffer.alloc(Math.max(0, (0, import_node_fs25.fstatSync)(fd).size - from));
    const length = (0, import_node_fs25.readSync)(fd, bytes, 0, bytes.length, from);
    const text4 = bytes.toString("utf8", 0, length);
    return text4.startsWith(kept.line) ? { kept, events: eventsIn(text4, path) } : void 0;
  } finally {
    (0, import_node_fs25.closeSync)(fd);
  }
}
function readKept(marker) {
  try {
    const kept = JSON.parse((0, import_node_fs25.readFileSync)(keptPath(marker), "utf8"));
    const isOurs = kept.ralph === VERSION && kept.state.run === marker.run && kept.line.length > 1;
    return isOurs && kept.upTo >= Buffer.byteLength(kept.line) ? kept : void 0;
  } catch {
    return void 0;
  }
}
function keptPath({ folder }) {
  return (0, import_node_path19.join)(folder, "standing.json");
}

// src/claims/promise.ts
function promiseMarker(promise) {
  return `<promise>${promise}</promise>`;
}

// src/hooks/words.ts
var ULTRAWORK = [
  "ULTRAWORK MODE. Give this everything you have.",
  "Look into all that the task touches before you change it, plan the whole way, do every part of the work, and test what you did.",
  "Use subagents and tools in parallel where that is faster. No shortcuts, no placeholders, no part left for later."
].join(" ");
function contract(spec) {
  const { promise = "", promiseLine = false } = spec.claim;
  const checks = spec.gates.map(({ command }) => `\`${command}\``).join(", ");
  const times = spec.limits.iterations - 1;
  const rules = promise === "" ? [
    checks === "" ? "- There is no completion promise: each time you stop you are told to go on." : `- The loop ends when these checks pass, which ralph runs each time you stop: ${checks}.`
  ] : [
    `- Only when the task is fully complete, output exactly ${promiseMarker(promise)} in your final message${promiseLine ? ", on a line of its own" : ""}.`,
    "- STRICT: it must match letter for letter. No white space inside the tag, no other case, no variants.",
    "- If the task is not done, do not output the promise, not even to talk about it.",
    ...checks === "" ? [] : [`- A promise is believed when these checks pass, which ralph runs then: ${checks}.`]
  ];
  return [
    ...withUltrawork(spec, ["You are in a ralph loop. Work on this task until it is fully done."]),
    taskOf(spec),
    [
      "How it ends:",
      ...rules,
      `- When you stop before that you are sent back to the task, up to ${times} ${times === 1 ? "time" : "times"}.`
    ].join("\n")
  ].join("\n\n");
}
function withUltrawork({ session }, texts2) {
  return [...session?.ultrawork === true ? [ULTRAWORK] : [], ...texts2];
}
function taskOf({ work: work2 }) {
  return work2.kind === "prompt" ? work2.text : "";
}

// src/hooks/advance.ts
function iterationStarted(marker, iteration, prompt) {
  keepPrompt(marker.folder, iteration, prompt, { flush: iteration === 1 });
  return {
    type: "iteration.started",
    at: systemClock.now(),
    run: marker.run,
    iteration,
    promptPath: promptCopy(marker.folder, iteration),
    // Of a run only the first prompt is ever compared with anything; hashing the others would cost each stop Node's crypto.
    promptSha256: ""
  };
}

// src/hooks/arguments.ts
var USUAL2 = { maxIterations: 20, minToolCalls: 1 };
var MOST2 = 1e5;
var LONGEST_PROMISE = 200;
var POLICIES = ["reject", "warn", "accept"];
var FLAGS = ["--guardrails", "--promise-line"];
var OPTIONS = [
  "--max-iterations",
  "--completion-promise",
  "--min-tool-calls",
  "--on-promise-no-work",
  "--gate",
  "--criteria"
];
var EXAMPLE = '/ralph-loop "Make the tests pass" --max-iterations 10 --completion-promise DONE';
function parseArguments(text4) {
  const words = wordsIn(text4);
  const values = /* @__PURE__ */ new Map();
  const flags = /* @__PURE__ */ new Set();
  const task = [];
  for (let n = 0; n < words.length; n++) {
    const word2 = words[n];
    if (word2 === void 0) break;
    if (word2.quoted || !word2.text.startsWith("--")) {
      const meant = word2.quoted ? void 0 : optionMeantBy(word2.text);
      if (meant !== void 0) return mistyped(word2.text, meant);
      task.push(word2);
      continue;
    }
    if (word2.text === "--") {
      task.push(...words.slice(n + 1));
      break;
    }
    const [name2, inline] = splitAtEquals(word2.text);
    if (inline === void 0 && FLAGS.some((flag2) => flag2 === name2)) {
      flags.add(name2);
      continue;
    }
    const option = OPTIONS.find((one) => one === name2);
    if (option === void 0) return unknown2(name2);
    const value = inline ?? valueIn(words[++n]);
    if (value === void 0) return { fault: `${name2} needs a value. For example: ${EXAMPLE}` };
    values.set(option, [...values.get(option) ?? [], value]);
  }
  return wishOf(taskOf2(text4, task), values, flags);
}
function wishOf(task, values, flags) {
  const last = (option) => values.get(option)?.at(-1);
  if (task === "") return { fault: `say what is to be done. For example: ${EXAMPLE}` };
  const maxIterations = number2("--max-iterations", last("--max-iterations"), USUAL2.maxIterations, 1);
  if (typeof maxIterations !== "number") return maxIterations;
  const minToolCalls = number2("--min-tool-calls", last("--min-tool-calls"), USUAL2.minToolCalls, 0);
  if (typeof minToolCalls !== "number") return minToolCalls;
  const policy = last("--on-promise-no-work") ?? "reject";
  const onNoWork = POLICIES.find((one) => one === policy);
  if (onNoWork === void 0)
    return { fault: `--on-promise-no-work is ${POLICIES.join(", ")}, and not ${shown(policy)}.` };
  const promise = last("--completion-promise")?.trim();
  if (promise !== void 0 && (promise.length > LONGEST_PROMISE || /[\r\n]|<\/?promise>/.test(promise))) {
    return {
      fault: `--completion-promise takes a word or a few, on one line and without the tags. ${shown(promise)} is none.`
    };
  }
  const gates = values.get("--gate") ?? [];
  if (gates.some((gate2) => gate2.trim() === "" || gate2.includes("\0")))
    return { fault: '--gate needs a command. For example: --gate "npm test"' };
  return {
    task,
    maxIterations,
    ...promise === void 0 ? {} : { promise },
    promiseLine: flags.has("--promise-line"),
    minToolCalls,
    onNoWork,
    gates,
    guardrails: flags.has("--guardrails"),
    criteria: (values.get("--criteria") ?? []).flatMap((given) => given.split(","))
  };
}
var QUOTES = { '"': '"', "'": "'", "\u201C": "\u201D" };
function wordsIn(text4) {
  const words = [];
  const unclosed = /* @__PURE__ */ new Set();
  for (let at = 0; at < text4.length; ) {
    if (/\s/.test(text4[at] ?? "")) {
      at++;
      continue;
    }
    const word2 = quotedAt(text4, at, unclosed) ?? plainAt(text4, at, unclosed);
    words.push(word2);
    at = word2.end;
  }
  return words;
}
function quotedAt(text4, start, unclosed) {
  const open2 = text4[start] ?? "";
  const close = QUOTES[open2];
  if (close === void 0 || unclosed.has(open2)) return void 0;
  let inside = "";
  for (let at = start + 1; at < text4.length; at++) {
    const letter = text4[at] ?? "";
    const next = text4[at + 1] ?? "";
    if (letter === "\\" && open2 === '"' && (next === '"' || next === "\\")) {
      inside += next;
      at++;
    } else if (letter === close && (next === "" || /\s/.test(next))) {
      return { text: inside, quoted: true, start, end: at + 1 };
    } else inside += letter;
  }
  unclosed.add(open2);
  return void 0;
}
function plainAt(text4, start, unclosed) {
  const equals = /^--[a-z-]+=/.exec(text4.slice(start, start + 40))?.[0];
  const value = equals === void 0 ? void 0 : quotedAt(text4, start + equals.length, unclosed);
  if (equals !== void 0 && value !== void 0) {
    return { text: equals + value.text, quoted: false, start, end: value.end };
  }
  let end = start;
  while (end < text4.length && !/\s/.test(text4[end] ?? "")) end++;
  return { text: text4.slice(start, end), quoted: false, start, end };
}
function valueIn(word2) {
  return word2 === void 0 || !word2.quoted && word2.text.startsWith("--") ? void 0 : word2.text;
}
function optionMeantBy(word2) {
  const name2 = /^[-–—−]([a-z-]+)(?:=|$)/.exec(word2)?.[1];
  return name2 === void 0 ? void 0 : [...OPTIONS, ...FLAGS].find((one) => one === `--${name2}`);
}
function mistyped(word2, option) {
  return {
    fault: `${shown(word2)} needs two hyphens: ${option}. If it belongs to the task, put the task in quotes.`
  };
}
function splitAtEquals(word2) {
  const at = word2.indexOf("=");
  return at < 0 ? [word2] : [word2.slice(0, at), word2.slice(at + 1)];
}
function taskOf2(text4, words) {
  const [only] = words;
  if (words.length === 1 && only?.quoted === true) return only.text.trim();
  let task = "";
  let end;
  for (const word2 of words) {
    const between = end === void 0 ? "" : text4.slice(end, word2.start);
    task += /\S/.test(between) ? " " : between;
    task += text4.slice(word2.start, word2.end);
    end = word2.end;
  }
  return task.trim();
}
function number2(name2, given, usual, least) {
  if (given === void 0) return usual;
  const value = Number(given);
  if (/^\d+$/.test(given.trim()) && value >= least && value <= MOST2) return value;
  return { fault: `${name2} takes a whole number of ${least} or more, and not ${shown(given)}.` };
}
function unknown2(name2) {
  const known3 = [...OPTIONS, ...FLAGS].join(", ");
  return {
    fault: `there is no option ${shown(name2)}; there are ${known3}. If it belongs to the task, put the task in quotes.`
  };
}
function shown(text4) {
  return JSON.stringify(text4.length > 60 ? `${text4.slice(0, 60)}\u2026` : text4);
}

// src/hooks/input.ts
var import_node_fs26 = require("node:fs");
var import_node_path20 = require("node:path");
function projectOf({ cwd }, env) {
  const opened = env["CLAUDE_PROJECT_DIR"] ?? "";
  if (!isFolder(cwd)) return isFolder(opened) ? opened : process.cwd();
  if (!isFolder(opened) || !isInside(opened, cwd)) return cwd;
  for (let folder = cwd; folder !== opened; folder = (0, import_node_path20.dirname)(folder)) {
    if ((0, import_node_fs26.statSync)((0, import_node_path20.join)(folder, ".git"), { throwIfNoEntry: false }) !== void 0) return cwd;
  }
  return opened;
}
function isFolder(path) {
  return path.startsWith("/") && (0, import_node_fs26.statSync)(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

// src/hooks/log.ts
var import_node_fs27 = require("node:fs");
var import_node_path21 = require("node:path");
var LARGEST_BYTES = 1024 * 1024;
function logPath(root) {
  return (0, import_node_path21.join)(root, "hooks.log");
}
function log(root, line) {
  const path = logPath(root);
  try {
    (0, import_node_fs27.mkdirSync)(root, { recursive: true, mode: 448 });
    const size = (0, import_node_fs27.statSync)(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LARGEST_BYTES) (0, import_node_fs27.renameSync)(path, `${path}.1`);
    const clean = line.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").slice(0, 2e3);
    (0, import_node_fs27.appendFileSync)(path, `${(/* @__PURE__ */ new Date()).toISOString()} ${clean}
`, { mode: 384 });
  } catch {
  }
}

// src/hooks/open-loop.ts
var import_node_path22 = require("node:path");
function openLoop(marker, session) {
  const { state, recent } = readStanding(marker);
  const { spec } = state;
  if (spec?.session === void 0 || spec.session.id !== session) return { why: "it is another session's" };
  if (state.phase === "ended") return { why: "it has ended" };
  if (!state.inSession) return { why: "it was resumed without the session" };
  if (lockOwner((0, import_node_path22.join)((0, import_node_path22.dirname)(marker.folder), "lock"), LIVENESS)?.run === marker.run)
    return { why: "another process drives it" };
  return { marker, spec, state, recent };
}

// src/hooks/places.ts
var import_node_fs28 = require("node:fs");
var import_node_path23 = require("node:path");
function isPlainId(id) {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id);
}
function sessionFolder(root, id) {
  return (0, import_node_path23.join)(root, "hooks", id);
}
function spoolFolder(root) {
  return (0, import_node_path23.join)(root, "spool");
}
var MARKER_BYTES = 64 * 1024;
function readMarker(root, id) {
  const path = markerPath(root, id);
  if (!isPlainId(id) || !(0, import_node_fs28.existsSync)(path)) return void 0;
  const value = JSON.parse(readPlain(path, MARKER_BYTES));
  const { run, folder, project, transcriptFrom } = value ?? {};
  if (typeof run !== "string" || typeof folder !== "string" || typeof project !== "string") {
    throw new Error(`${path} is damaged`);
  }
  const alias = typeof value?.alias === "string" && isPlainId(value.alias) ? { alias: value.alias } : {};
  return { run, folder, project, transcriptFrom: Number(transcriptFrom) || 0, ...alias };
}
function writeMarker(root, id, marker) {
  (0, import_node_fs28.mkdirSync)(spoolFolder(root), { recursive: true, mode: 448 });
  for (const name2 of [id, ...marker.alias === void 0 ? [] : [marker.alias]]) {
    (0, import_node_fs28.mkdirSync)(sessionFolder(root, name2), { recursive: true, mode: 448 });
  }
  const path = markerPath(root, id);
  (0, import_node_fs28.writeFileSync)(`${path}.new`, JSON.stringify(marker), { mode: 384, flush: true });
  (0, import_node_fs28.renameSync)(`${path}.new`, path);
}
var FORGOTTEN_MS = 30 * 24 * 60 * 6e4;
function namesIn2(folder) {
  return (0, import_node_fs28.existsSync)(folder) ? (0, import_node_fs28.readdirSync)(folder) : [];
}
function markerPath(root, id) {
  return (0, import_node_path23.join)(sessionFolder(root, id), "loop.json");
}

// src/config/detect/look.ts
var import_node_fs29 = require("node:fs");
var import_node_path24 = require("node:path");
var LARGEST_BYTES2 = 1024 * 1024;
function readManifest(project, name2) {
  try {
    return readNoFollow((0, import_node_path24.join)(project, name2), LARGEST_BYTES2).replace(/^\ufeff/, "");
  } catch {
    return void 0;
  }
}
function hasFile(project, name2) {
  return lookAt(project, name2)?.isFile() === true;
}
function hasFolder(project, name2) {
  return lookAt(project, name2)?.isDirectory() === true;
}
function lookAt(project, name2) {
  try {
    return (0, import_node_fs29.lstatSync)((0, import_node_path24.join)(project, name2));
  } catch {
    return void 0;
  }
}

// src/config/detect/makefile.ts
var NAMES = ["GNUmakefile", "makefile", "Makefile"];
var TARGETS = [
  ["test", ["test"]],
  ["lint", ["lint"]],
  ["type-check", ["typecheck", "type-check"]],
  ["build", ["build"]]
];
function fromMakefile(project) {
  for (const from of NAMES) {
    const text4 = readManifest(project, from);
    if (text4 !== void 0) return checksIn(targetsOf(text4), from);
  }
  return [];
}
function checksIn(targets, from) {
  const found = TARGETS.flatMap(([kind, names]) => {
    const name2 = names.find((one) => targets.has(one));
    return name2 === void 0 ? [] : [{ kind, command: `make ${name2}`, from }];
  });
  if (!targets.has("check")) return found;
  const free = ["test", "type-check"].find((kind) => !found.some((check2) => check2.kind === kind));
  return free === void 0 ? found : [...found, { kind: free, command: "make check", from }];
}
function targetsOf(text4) {
  const targets = /* @__PURE__ */ new Set();
  for (const line of text4.split(/\r?\n/)) {
    const rule = /^([^\t#:=][^#:=]*)::?(?![:=])/.exec(line);
    for (const name2 of rule?.[1]?.split(/\s+/) ?? []) targets.add(name2);
  }
  return targets;
}

// src/config/detect/package-json.ts
var MANIFEST = "package.json";
var SCRIPTS = [
  ["test", ["test"]],
  ["lint", ["lint"]],
  ["type-check", ["typecheck", "type-check", "check-types", "tsc"]],
  ["build", ["build"]]
];
var LOCK_FILES = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"]
];
function fromPackageJson(project) {
  const manifest = parse4(readManifest(project, MANIFEST));
  const scripts = recordOf(manifest["scripts"]);
  const manager = packageManager(project, manifest["packageManager"]);
  return SCRIPTS.flatMap(([kind, names]) => {
    const name2 = names.find((one) => Object.hasOwn(scripts, one) && isCheck(scripts[one]));
    return name2 === void 0 ? [] : [{ kind, command: commandFor(manager, name2), from: MANIFEST }];
  });
}
function isCheck(script) {
  if (typeof script !== "string" || script.trim() === "") return false;
  return !/no test specified/i.test(script) && !/(?:^|\s)--watch(?:All)?(?=\s|$|=true)/.test(script);
}
function commandFor(manager, script) {
  return script === "test" && manager !== "bun" ? `${manager} test` : `${manager} run ${script}`;
}
function packageManager(project, named) {
  const byLock = LOCK_FILES.find(([name3]) => hasFile(project, name3))?.[1];
  if (byLock !== void 0) return byLock;
  const name2 = typeof named === "string" ? named.split("@")[0] : void 0;
  return name2 === "pnpm" || name2 === "yarn" || name2 === "bun" ? name2 : "npm";
}
function parse4(text4) {
  try {
    return recordOf(JSON.parse(text4 ?? "{}"));
  } catch {
    return {};
  }
}
function recordOf(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

// src/config/detect/python.ts
var RUNNERS = [
  ["uv.lock", "uv run "],
  ["poetry.lock", "poetry run "],
  ["pdm.lock", "pdm run "]
];
function fromPyproject(project) {
  const from = "pyproject.toml";
  const text4 = readManifest(project, from)?.replace(/^[ \t]*#.*$/gm, "");
  if (text4 === void 0) return [];
  const run = RUNNERS.find(([lock]) => hasFile(project, lock))?.[1] ?? "";
  const hasTests = /\bpytest\b/.test(text4) || hasFolder(project, "tests") || hasFolder(project, "test");
  const checks = [
    hasTests && { kind: "test", command: `${run}pytest`, from },
    /\bruff\b/.test(text4) && { kind: "lint", command: `${run}ruff check`, from },
    /^[ \t]*\[tool\.mypy/m.test(text4) && { kind: "type-check", command: `${run}mypy .`, from },
    /^[ \t]*\[tool\.pyright/m.test(text4) && { kind: "type-check", command: `${run}pyright`, from }
  ];
  return checks.filter((check2) => check2 !== false);
}

// src/config/detect/toolchains.ts
function fromCargo(project) {
  const from = "Cargo.toml";
  const text4 = readManifest(project, from);
  if (text4 === void 0) return [];
  const usesClippy = ["clippy.toml", ".clippy.toml"].some((name2) => hasFile(project, name2)) || /^[ \t]*\[(?:workspace\.)?lints(?:\.|\])/m.test(text4);
  return [
    { kind: "test", command: "cargo test", from },
    ...usesClippy ? [{ kind: "lint", command: "cargo clippy -- -D warnings", from }] : [],
    { kind: "build", command: "cargo build", from }
  ];
}
function fromGoModule(project) {
  const from = "go.mod";
  if (readManifest(project, from) === void 0) return [];
  return [
    { kind: "test", command: "go test ./...", from },
    { kind: "lint", command: "go vet ./...", from },
    { kind: "build", command: "go build ./...", from }
  ];
}

// src/config/detect.ts
var DETECTORS = [
  fromPackageJson,
  fromCargo,
  fromGoModule,
  fromPyproject,
  fromMakefile
];
function detectChecks(project) {
  return DETECTORS.flatMap((detect) => detect(project));
}

// src/config/criteria.ts
var FLAG = "--criteria";
var COMMAND_FLAG = "--criteria-command";
var CHECKS = {
  test_pass: "test",
  build_success: "build",
  lint_clean: "lint",
  type_check: "type-check"
};
var TYPE_CHECKS = [
  ["tsconfig.json", "npx --no-install tsc --noEmit"],
  ["Cargo.toml", "cargo check"],
  ["go.mod", "go vet ./..."]
];
function chooseCriteria(project, flags, loaded, sources) {
  const byFlag = flagCriteria(flags, loaded.settings);
  const asked = byFlag ?? inSettings(loaded.settings);
  const isGiven = byFlag !== void 0;
  sources.set("criteria", isGiven ? FLAG : loaded.sources.get("criteria") ?? "default");
  return asked.map((one) => criterionOf(project, one, flags.judge));
}
function inSettings({ criteria = [] }) {
  return criteria.map((one) => typeof one === "string" ? { type: one } : one);
}
function flagCriteria(flags, settings) {
  const command = textFlag(COMMAND_FLAG, flags.criteriaCommand)?.value;
  const named = flags.criteria ?? (command === void 0 ? void 0 : ["custom"]);
  if (named === void 0) return void 0;
  const types = new Set(named.flatMap((one) => choiceFlag(FLAG, one.trim(), CRITERIA)?.value ?? []));
  const target = types.has("custom") ? "custom" : types.size === 1 ? [...types][0] : void 0;
  if (command !== void 0 && target === void 0) {
    throw new UserError(
      `${COMMAND_FLAG} belongs to no criterion`,
      `it is not told which of ${[...types].join(", ")} it is for`,
      `Give ${FLAG} custom as well, or name one criterion only.`
    );
  }
  const known3 = inSettings(settings);
  return [...types].flatMap((type) => {
    const own = known3.filter((one) => one.type === type);
    if (type === target && command !== void 0) return [{ ...own[0], type, command }];
    return own.length > 0 ? own : [{ type }];
  });
}
function criterionOf(project, asked, judgeAll) {
  const { type } = asked;
  const found = asked.command === void 0 ? ownCommand(project, type) : void 0;
  const command = asked.command ?? found?.command ?? "";
  return {
    kind: "criterion",
    criterion: type,
    name: `${type}: ${command}`,
    command,
    failAction: asked.failAction ?? DEFAULTS.failAction,
    ...asked.hint === void 0 ? {} : { hint: asked.hint },
    timeoutMs: parseDuration(asked.timeout ?? DEFAULTS.gateTimeout) ?? DEFAULTS.gateTimeoutMs,
    flaky: asked.flaky ?? DEFAULTS.flaky,
    judged: judgeAll ?? asked.judge ?? type === "custom",
    ...found === void 0 ? {} : { foundIn: found.from }
  };
}
function ownCommand(project, type) {
  if (type === "custom") {
    throw new UserError(
      "the criterion custom has no command",
      "only you know what it should run",
      `Name one with ${COMMAND_FLAG}, or with "command" under criteria in .ralph/settings.json.`
    );
  }
  const found = detectChecks(project).find((check2) => check2.kind === CHECKS[type]);
  if (found !== void 0) return found;
  const [from, command] = TYPE_CHECKS.find(([file]) => type === "type_check" && hasFile(project, file)) ?? [];
  if (from !== void 0 && command !== void 0) return { command, from };
  throw new UserError(
    `no command found for the criterion ${type}`,
    "neither package.json, Cargo.toml, go.mod, pyproject.toml nor a Makefile tells of one",
    `Name it: ${FLAG} ${type} ${COMMAND_FLAG} "\u2026", or "command" under criteria in .ralph/settings.json.`
  );
}

// src/config/gates.ts
function gateOf(guardrail2) {
  return {
    kind: "guardrail",
    name: guardrail2.command,
    command: guardrail2.command,
    failAction: guardrail2.failAction ?? DEFAULTS.failAction,
    ...guardrail2.hint === void 0 ? {} : { hint: guardrail2.hint },
    timeoutMs: parseDuration(guardrail2.timeout ?? DEFAULTS.gateTimeout) ?? DEFAULTS.gateTimeoutMs,
    flaky: guardrail2.flaky ?? DEFAULTS.flaky
  };
}

// src/config/trust.ts
var import_node_crypto3 = require("node:crypto");
var import_node_fs30 = require("node:fs");
var import_node_path25 = require("node:path");
var TRUST_FILE = "trusted.json";
function commandsOf(settings, ownCommand2 = () => void 0) {
  const { agent: agent2 = {}, fallbackAgent = [], guardrails = [], criteria = [], judge: judge2, scm: scm2 } = settings;
  const flags = agent2.flags ?? [];
  const lines = [];
  if (agent2.command !== void 0) lines.push(`agent: ${[agent2.command, ...flags].join(" ")}`);
  else if (flags.length > 0) lines.push(`agent flags: ${flags.join(" ")}`);
  for (const one of Array.isArray(fallbackAgent) ? fallbackAgent : [fallbackAgent]) {
    const { command = agent2.command ?? "the agent", flags: more = [] } = typeof one === "string" ? { command: one } : one;
    lines.push(`fallback agent: ${[command, ...more].join(" ")}`);
  }
  for (const guardrail2 of guardrails) lines.push(`guardrail: ${guardrail2.command}`);
  for (const one of criteria) {
    const { type, command } = typeof one === "string" ? { type: one, command: void 0 } : one;
    lines.push(`criterion ${type}: ${command ?? ownCommand2(type) ?? "the project's own command"}`);
  }
  if (settings.review?.agent !== void 0) lines.push(`reviewer: ${settings.review.agent}`);
  if (judge2?.agent !== void 0) lines.push(`judge: ${judge2.agent}`);
  if (settings.pristine?.setup !== void 0) lines.push(`tests' set-up: ${settings.pristine.setup}`);
  if (settings.guard?.mode === "off") lines.push("guard: off");
  for (const pattern of settings.guard?.allow ?? []) lines.push(`guard allows: ${pattern}`);
  if (scm2?.command !== void 0) {
    for (const task of scm2.tasks ?? []) lines.push(`scm: ${scm2.command} ${task}`);
  }
  return [...lines, ...openings(settings)].map(visible);
}
function trustKey(project, settings, listCommands = []) {
  const { agent: agent2, fallbackAgent, guardrails, criteria, judge: judge2, scm: scm2, review: review2, sandbox: sandbox2 } = settings;
  const setup = settings.pristine?.setup;
  const guard2 = loosened(settings);
  const verify2 = listCommands.length === 0 ? void 0 : listCommands;
  const content = canonical({
    agent: agent2,
    fallbackAgent,
    guardrails,
    criteria,
    judge: judge2,
    scm: scm2,
    setup,
    review: review2,
    verify: verify2,
    sandbox: sandbox2,
    guard: guard2
  });
  return (0, import_node_crypto3.createHash)("sha256").update(`${(0, import_node_fs30.realpathSync)(project)}\0${content}`).digest("hex");
}
function loosened({ guard: guard2 }) {
  const { mode, allow = [] } = guard2 ?? {};
  return mode !== "off" && allow.length === 0 ? void 0 : { off: mode === "off", allow };
}
function isTrusted(stateDir, key2) {
  return trustedKeys(stateDir).includes(key2);
}
function trustByEnvironment(env, flag2) {
  if (flag2) return "--trust";
  if (env["RALPH_TRUST_PROJECT"] === "1") return "RALPH_TRUST_PROJECT=1";
  return env["CI"] === "true" ? "CI=true" : void 0;
}
function trustedKeys(stateDir) {
  try {
    const value = JSON.parse(readPlainText((0, import_node_path25.join)(stateDir, TRUST_FILE), TRUST_FILE) ?? "{}");
    if (typeof value !== "object" || value === null || !("keys" in value) || !Array.isArray(value.keys))
      return [];
    return value.keys.filter((key2) => typeof key2 === "string");
  } catch {
    return [];
  }
}
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, item]) => item !== void 0);
  entries.sort(([a], [b]) => a < b ? -1 : 1);
  return `{${entries.map(([key2, item]) => `${JSON.stringify(key2)}:${canonical(item)}`).join(",")}}`;
}

// src/hooks/agents.ts
var CAP = 8;
function known2(agent2, env) {
  const kind = agent2 === "other" ? "claude" : agent2;
  return {
    agent: { kind, command: kind, flags: [], autonomy: "full" },
    mostBlocks: agent2 === "claude" ? claudeCap(env) : agent2 === "copilot" ? CAP : 0,
    counts: agent2 !== "other"
  };
}
function claudeCap(env) {
  const given = env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"];
  return given !== void 0 && /^\d{1,6}$/.test(given) ? Number(given) : CAP;
}

// src/hooks/session-spec.ts
async function sessionSpec(input, wish, where) {
  const { agent: agent2, mostBlocks, counts } = known2(input.agent, where.env);
  const promise = wish.promise ?? (wish.criteria.length > 0 ? "" : DEFAULTS.completionResponse);
  return {
    kind: "session",
    project: where.project,
    agent: agent2,
    work: { kind: "prompt", text: wish.task },
    claim: {
      response: "",
      hint: true,
      done: false,
      promise,
      ...wish.promiseLine ? { promiseLine: true } : {},
      ...promise === "" ? { needed: false } : {}
    },
    session: {
      id: input.session,
      agent: input.agent,
      minToolCalls: wish.minToolCalls,
      onNoWork: wish.onNoWork,
      ultrawork: wish.ultrawork,
      mostBlocks,
      ...counts ? {} : { uncounted: true }
    },
    taskDir: where.project,
    restart: DEFAULTS.restartMs,
    gates: await gatesOf(wish, where),
    limits: {
      // The first turn is the one that the user's command starts.
      iterations: wish.maxIterations + 1,
      failures: DEFAULTS.maximumFailures,
      waits: MAXIMUM_WAITS,
      noProgress: 0
    },
    timeouts: DEFAULTS.timeoutsMs,
    processes: DEFAULTS.processes,
    prompt: {
      includeIterationCount: false,
      outputTruncateChars: DEFAULTS.outputTruncateChars,
      baselineFeedback: false
    },
    baseline: false,
    snapshots: true
  };
}
async function gatesOf(wish, where) {
  const own = wish.gates.map((command) => gateOf({ command }));
  if (!wish.guardrails && wish.criteria.length === 0) return own;
  const loaded = await loadSettings(where.project);
  const { guardrails = [], criteria } = loaded.settings;
  if (wish.guardrails && guardrails.length === 0) {
    throw new UserError(
      "there are no guardrails",
      "the settings of this project name none",
      'Write some into .ralph/settings.json (`ralph init` helps), or name a check: --gate "npm test"'
    );
  }
  if (wish.guardrails || criteria !== void 0) mustBeTrusted(loaded, where);
  const asked = { criteria: wish.criteria, judge: false };
  return [
    ...own,
    ...wish.guardrails ? guardrails.map(gateOf) : [],
    ...wish.criteria.length === 0 ? [] : chooseCriteria(where.project, asked, loaded, /* @__PURE__ */ new Map())
  ];
}
function mustBeTrusted({ settings }, { project, root, env }) {
  const commands = commandsOf(settings);
  if (commands.length === 0 || trustByEnvironment(env, false) !== void 0) return;
  if (isTrusted(root, trustKey(project, settings))) return;
  throw new UserError(
    "this project's settings are not trusted yet",
    `they would run: ${commands.join("; ")}`,
    "Read .ralph/settings.json. Then start `ralph run` once in a terminal there and say yes, or set RALPH_TRUST_PROJECT=1 for this program."
  );
}

// src/hooks/spool.ts
var import_node_fs31 = require("node:fs");
var import_node_path26 = require("node:path");
var END_BYTES = 4096;
function takeSpool(root, session) {
  const folder = spoolFolder(root);
  const byName2 = /* @__PURE__ */ new Map();
  const calls = /* @__PURE__ */ new Set();
  for (const name2 of namesIn2(folder)) {
    const path = (0, import_node_path26.join)(folder, name2);
    const { head, tail } = endsOf(path);
    const id = wordAfter(head, "session_id") ?? "";
    if (id !== session && isPlainId(id) && (0, import_node_fs31.existsSync)(sessionFolder(root, id))) continue;
    if (id === "" && isBeingWritten(path)) continue;
    const call = wordsAfter(tail, "tool_use_id").at(-1) ?? `the note ${name2}`;
    if (id === session && !calls.has(call)) {
      calls.add(call);
      const tool = wordAfter(head, "tool_name") ?? "a tool";
      byName2.set(tool, (byName2.get(tool) ?? 0) + 1);
    }
    (0, import_node_fs31.rmSync)(path, { force: true, recursive: true });
  }
  return { count: calls.size, byName: byName2 };
}
var WRITING_MS = 6e4;
function isBeingWritten(path) {
  const info = (0, import_node_fs31.statSync)(path, { throwIfNoEntry: false });
  return info?.isFile() === true && Math.abs(Date.now() - info.mtimeMs) < WRITING_MS;
}
function wordAfter(head, key2) {
  return wordsAfter(head, key2)[0];
}
function wordsAfter(text4, key2) {
  const pattern = new RegExp(`"${key2}"\\s*:\\s*"([^"\\\\]{1,128})"`, "g");
  return Array.from(text4.matchAll(pattern), ([, word2]) => word2 ?? "");
}
function endsOf(path) {
  try {
    const fd = openPlain(path);
    try {
      const read2 = (from) => {
        const bytes = Buffer.alloc(END_BYTES);
        return bytes.toString("latin1", 0, (0, import_node_fs31.readSync)(fd, bytes, 0, END_BYTES, from));
      };
      return { head: read2(0), tail: read2(Math.max(0, (0, import_node_fs31.fstatSync)(fd).size - END_BYTES)) };
    } finally {
      (0, import_node_fs31.closeSync)(fd);
    }
  } catch {
    return { head: "", tail: "" };
  }
}

// src/hooks/transcript.ts
var import_node_fs32 = require("node:fs");
var FIRST_BYTES = 64 * 1024;
var MOST_BYTES3 = 4 * 1024 * 1024;
function transcriptSize(path) {
  if (path === void 0) return 0;
  try {
    return (0, import_node_fs32.statSync)(path).size;
  } catch {
    return 0;
  }
}

// src/gates/digest.ts
var WINDOW_BYTES = 16 * 1024;

// src/gates/judgment.ts
var JudgmentSchema = object({
  success: boolean(),
  reason: string(),
  suggestions: optional(array(string()))
});
var ProgressSchema = object({ progress: boolean(), reason: string() });

// src/scm/commit.ts
var TASK_WALL_MS = 10 * 6e4;

// src/supervise/lines.ts
var LONGEST_LINE_BYTES = 8 * 1024 * 1024;
var OVERSIZE_HEAD_BYTES = 64 * 1024;
var NOTHING = Buffer.alloc(0);

// src/loop/turn-reader.ts
var PLAIN_HALF_BYTES = 2 * 1024 * 1024;
var STDERR_TAIL_BYTES = 16 * 1024;

// src/loop/agent-turn.ts
var LARGEST_ANSWER_BYTES = 1024 * 1024;

// src/bus/open.ts
var import_node_fs33 = require("node:fs");
var SAFELY = import_node_fs33.constants.O_NOFOLLOW | import_node_fs33.constants.O_NONBLOCK;

// src/bus/message.ts
var BODY_MOST = 64 * 1024;
var READ_MOST = 1024 * 1024;

// src/bus/front.ts
var FRONT_MOST = 16 * 1024;
var FENCE = "(?:\\u00ef\\u00bb\\u00bf)?---[ \\t]*\\r?";
var FENCE_LINE = new RegExp(`^${FENCE}$`);

// src/bus/read.ts
var PIECE = 2 * 1024 * 1024;
var UNREAD_MOST = 64 * 1024 * 1024;

// src/agents/limits.ts
function status(numbers) {
  return `(?:status|error|code|http(?:/[\\d.]+)?)\\W{0,4}(?:code\\W{0,3})?(?:${numbers})\\b|\\((?:${numbers})\\)`;
}
function any(...parts) {
  return new RegExp(parts.join("|"), "im");
}
var NO_CONNECTION = [
  "\\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EPIPE)\\b",
  "connection (?:error|failed|closed|refused|reset|aborted|timed out)",
  "ConnectionRefused|FailedToOpenSocket",
  "(?:unable|failed) to connect",
  "could(?:n['\u2019]t| not) (?:connect|resolve (?:host|proxy|address))",
  "network (?:error|is unreachable|is down)",
  "no route to host",
  "waiting for network",
  "fetch failed(?:[.)]?$| sending request)",
  "error sending request",
  "stream disconnected",
  "socket hang up",
  "other side closed",
  "dns error",
  "failed to lookup address",
  "temporary failure in name resolution|name or service not known|nodename nor servname provided",
  "request timed out"
];
var RULES = [
  // Claude says this of a plain 429, and the words "usage limit" in it would otherwise mean the plan.
  ["rate", any("not your usage limit")],
  [
    "context",
    any(
      "prompt (?:is )?too[ _]long",
      "prompt_too_long",
      "input is too long",
      "context[ _](?:limit|length|window)",
      "maximum context",
      "maximum number of tokens",
      "ran out of room"
    )
  ],
  [
    "quota",
    any(
      "usage[ _]limit",
      "(?:hit|reached) your [\\w '\u2019-]{0,30}limit",
      "(?:session|hour|hourly|daily|weekly|monthly|opus|sonnet|spend|credit) limit",
      "(?<!rate )limit reached",
      "(?:exceeded|out of|over|insufficient)[\\w _]{0,30}quota|quota[\\w _]{0,20}(?:exceeded|reached|exhausted)",
      "out of (?:extra )?(?:usage|credits)",
      "credit balance",
      "billing[_ ](?:error|hard|limit|not active|details)|(?:check|update) your (?:plan|billing)",
      "payment required",
      status("402")
    )
  ],
  ["rate", any("rate[ _-]?limit", "too many requests", status("429"))],
  [
    "overload",
    any(
      "overloaded",
      "at capacity",
      "high (?:demand|load)",
      "internal server error",
      "bad gateway",
      "service unavailable",
      "gateway time-?out",
      "server_error",
      status("500|502|503|504|520|521|522|523|524|529")
    )
  ],
  ["offline", any(...NO_CONNECTION)]
];
var UNAUTHORISED = any(
  status("401|403"),
  "40[13] (?:unauthori[sz]ed|forbidden)",
  "(?:invalid|incorrect) (?:x-)?api[ _-]?key",
  "no api key found",
  "api key not valid",
  "no authentication information found|^(?:error: )?not authenticated",
  "no auth type is selected|set an auth method",
  "invalid (?:auth|bearer) token",
  "authentication[ _](?:failed|error|required)",
  "failed to authenticate",
  "oauth_org_not_allowed|account_on_hold|verification_required|cloud_credential_error",
  "not logged in",
  "login failed",
  "please (?:run /login|log ?in|sign in|log out and sign in)",
  "missing environment variable",
  "access token could not be refreshed"
);
var SPEAKER = "(?:(?:[a-z][\\w.@/-]{0,30}|[\\w .[\\]()-]{0,40}(?:error|exception|fatal|caused by|cause|reason)[\\w .[\\]()-]{0,12}):\\s*(?:\\(\\d+\\)\\s*)?)";
var CALL = "(?:(?:connect|read|write|getaddrinfo|dial|lookup|request to|unable to access) \\S*\\s?.{0,80}?)";
var SAID_BY_A_PROGRAM = new RegExp(
  `^[\\s\u2717\u2718\xD7\u274C]*(?!assert)${SPEAKER}{0,5}${CALL}?(?:${NO_CONNECTION.join("|")})`,
  "i"
);

// src/agents/reset-time.ts
var DAY_MS = 864e5;
var MINUTE_MS = 6e4;
var MOST_AHEAD_MS = 31 * DAY_MS;
var UNIT_MS = [
  [/^(?:ms|mil)/i, 1],
  [/^s/i, 1e3],
  [/^m/i, MINUTE_MS],
  [/^h/i, 60 * MINUTE_MS],
  [/^d/i, DAY_MS]
];

// src/agents/tool-text.ts
var OUTPUT_BYTES = 16 * 1024;

// src/agents/amp/command.ts
var ALLOW_ALL = "--dangerously-allow-all";
var STREAM_FLAGS = ["--stream-json", "--stream-json-thinking"];
var NOT_IN_WORK = { bare: ["-x", "--execute"], oneValue: [], manyValues: [] };
var NOT_IN_TEXT = {
  ...NOT_IN_WORK,
  bare: [...NOT_IN_WORK.bare, ...STREAM_FLAGS, "--stream-json-input", ALLOW_ALL]
};

// src/agents/gemini/command.ts
var FORMAT_FLAGS = ["-o", "--output-format"];
var NOT_IN_TEXT2 = {
  bare: ["-y", "--yolo"],
  oneValue: ["--approval-mode", ...FORMAT_FLAGS],
  manyValues: ["--allowed-tools"]
};

// src/agents/opencode/command.ts
var PERMISSION = "OPENCODE_PERMISSION";
var NO_SHELL = { [PERMISSION]: '{"bash":"deny"}' };
var NOTHING2 = { [PERMISSION]: '{"edit":"deny","bash":"deny"}' };
var READ_ONLY = {
  [PERMISSION]: '{"edit":"deny","bash":{"*":"deny","git diff*":"allow","git log*":"allow","git status*":"allow"}}'
};

// src/agents/qwen/command.ts
var FORMAT_FLAGS2 = ["-o", "--output-format"];
var NOT_IN_TEXT3 = {
  bare: ["-y", "--yolo", "--include-partial-messages"],
  oneValue: ["--approval-mode", "--input-format", "--json-schema", ...FORMAT_FLAGS2],
  manyValues: ["--allowed-tools"]
};

// src/snapshot/fingerprint.ts
var import_node_crypto4 = require("node:crypto");
var import_node_fs34 = require("node:fs");
var import_node_path27 = require("node:path");
var PASSED_OVER = /* @__PURE__ */ new Set([".git", ".ralph", "node_modules"]);
var MOST_ENTRIES = 5e4;
function fingerprint(project) {
  const hash = (0, import_node_crypto4.createHash)("sha256");
  let entries = 0;
  const look2 = (folder) => {
    for (const entry of (0, import_node_fs34.readdirSync)((0, import_node_path27.join)(project, folder), { withFileTypes: true }).sort(byName)) {
      if (PASSED_OVER.has(entry.name)) continue;
      if (++entries > MOST_ENTRIES) return false;
      const path = (0, import_node_path27.join)(folder, entry.name);
      const info = (0, import_node_fs34.lstatSync)((0, import_node_path27.join)(project, path), { throwIfNoEntry: false });
      if (info === void 0) continue;
      hash.update(`${path}\0${info.mode}\0${entry.isDirectory() ? "" : `${info.size}\0${info.mtimeMs}`}
`);
      if (entry.isDirectory() && !look2(path)) return false;
    }
    return true;
  };
  try {
    return look2("") ? `files:${hash.digest("hex")}` : void 0;
  } catch {
    return void 0;
  }
}
function byName(a, b) {
  return a.name < b.name ? -1 : 1;
}

// src/loop/iteration.ts
var LARGEST_PROMPT_BYTES = 16 * 1024 * 1024;

// src/receipt/schema.ts
var RECEIPT_VERSION = 1;
var text3 = string();
var count2 = pipe(number(), safeInteger(), minValue(0));
var amount = pipe(number(), finite(), minValue(0));
var sha256 = pipe(text3, regex(/^[0-9a-f]{64}$/));
var objectId = pipe(text3, regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
var moment = pipe(text3, isoTimestamp());
var exitCode = nullable(pipe(number(), safeInteger()));
var gate = strictObject({
  name: text3,
  kind: picklist(["guardrail", "criterion", "protect", "pristine", "clean-tree"]),
  command: text3,
  /** A secret in the command is hidden, so that it cannot be run again from here. */
  redacted: exactOptional(literal(true)),
  timeoutMs: pipe(count2, minValue(1), maxValue(100 * 36e5)),
  flaky: boolean(),
  exitCode,
  wallMs: amount,
  /** It failed first, and passed when it was run once more. */
  passedOnRetry: exactOptional(literal(true)),
  output: exactOptional(strictObject({ sha256, bytes: count2, tail: text3 })),
  /** What it found before the agent ever ran. */
  before: exactOptional(strictObject({ pass: boolean(), exitCode })),
  judgment: exactOptional(strictObject({ success: boolean(), reason: text3 })),
  /** What whoever trusts it should know. */
  warnings: exactOptional(array(text3))
});
var below2 = pipe(
  text3,
  check((path) => path === "" || path.split("/").every((name2) => !["", ".", ".."].includes(name2))),
  check((path) => !/[\\\0]/.test(path))
);
var work = strictObject({
  /** The project in its repository. */
  folder: below2,
  /** The task's folder in the project. */
  taskFolder: exactOptional(below2),
  /** The judged tree: git's name of exactly what stood there. */
  tree: objectId,
  base: exactOptional(strictObject({ tree: objectId, commit: exactOptional(objectId) })),
  /** From the base to the judged tree. */
  diff: exactOptional(strictObject({ sha256, files: count2 })),
  /** What scm made of it. */
  commit: exactOptional(strictObject({ id: objectId, tree: objectId, iteration: count2 }))
});
var tasks2 = strictObject({
  /** The folder of the list in the project. */
  folder: pipe(below2, minLength(1)),
  skipReview: boolean(),
  reviewCap: pipe(count2, minValue(1)),
  /** Reviews are those of the list, iterations those of this run. */
  stories: pipe(
    array(
      strictObject({
        id: text3,
        reviews: count2,
        iterations: strictObject({ implement: count2, review: count2, "review-fix": count2 })
      })
    ),
    minLength(1),
    maxLength(1e3)
  ),
  /** Stories that ralph approved because their reviews were used up. */
  autoApproved: array(text3),
  /** Git ignores the list, so that the judged tree does not hold it. */
  outsideTree: exactOptional(literal(true))
});
var ReceiptSchema = strictObject({
  receipt: literal(RECEIPT_VERSION),
  run: pipe(text3, regex(/^[0-9A-Za-z][0-9A-Za-z-]{0,63}$/)),
  ralph: text3,
  startedAt: moment,
  endedAt: moment,
  asked: strictObject({
    kind: picklist(["prompt", "prompt-file", "tasks", "none"]),
    file: exactOptional(text3),
    text: exactOptional(text3),
    /** Of the first prompt, as it was sent. */
    sha256: exactOptional(sha256)
  }),
  reason: text3,
  /** Absent when the project was in no git repository. */
  work: exactOptional(work),
  /** Of a run on a task list. */
  tasks: exactOptional(tasks2),
  gates: pipe(array(gate), minLength(1), maxLength(1e3)),
  claims: array(
    strictObject({
      iteration: count2,
      said: text3,
      judged: picklist(["believed", "refused"]),
      why: exactOptional(text3)
    })
  ),
  totals: strictObject({
    iterations: count2,
    resumed: count2,
    wallMs: amount,
    costUsd: amount,
    tokens: count2,
    inputTokens: count2,
    outputTokens: count2,
    cacheReadTokens: count2,
    cacheWriteTokens: count2
  }),
  agents: array(
    strictObject({
      kind: text3,
      command: text3,
      models: array(text3),
      versions: array(text3),
      turns: count2
    })
  ),
  machine: exactOptional(strictObject({ platform: text3, arch: text3, release: text3, node: text3 })),
  processes: exactOptional(text3),
  /** The events that led here, byte for byte as they stand on disk. */
  journal: strictObject({ sha256, bytes: count2, events: count2 }),
  digest: strictObject({ parts: record(text3, sha256), sha256 })
});

// src/receipt/tasks.ts
var MOST_BYTES4 = 4 * 1024 * 1024;

// src/hooks/workbench.ts
async function treeNow({ project, folder, run }) {
  const meter = await openTreeMeter({ project, folder, env: { [RUN_VARIABLE]: run } });
  if (meter === void 0) return fingerprint(project);
  const tree = await meter.measure();
  return "name" in tree ? tree.name : void 0;
}

// src/hooks/start.ts
async function startLoop(input, root, asked) {
  const wish = parseArguments(asked.args);
  if ("fault" in wish) throw new UserError("that is no loop yet", wish.fault, "");
  if (!isPlainId(input.session)) throw nameless();
  if (input.endsAtStop === true) throw endsTooSoon();
  mustBeFound(root, process.env);
  const lock = await takeTurn(root, input.session);
  try {
    const before = loopBefore(input.session, root);
    if (before === void 0 || "why" in before) return await startAlone(input, root, { ...asked, wish });
    if (isTwin(before, wish)) return { context: contract(before.spec) };
    throw second(before.marker.run);
  } finally {
    lock.release();
  }
}
var PATIENCE_MS = 6e4;
var STEP_MS = 50;
async function takeTurn(root, session) {
  const deadline = performance.now() + PATIENCE_MS;
  for (; ; ) {
    const lock = takeLock((0, import_node_path28.join)(root, "starting", session), session, LIVENESS, Date.now());
    if (lock.held) return lock;
    if (performance.now() > deadline)
      throw new UserError(
        "another loop is being started in this session",
        "it takes long",
        "Try again when it is."
      );
    await (0, import_promises5.setTimeout)(STEP_MS);
  }
}
function isTwin({ spec, recent }, { task }) {
  const last = recent.at(-1);
  if (last?.type !== "iteration.started" || last.iteration !== 1) return false;
  const isSame = spec.work.kind === "prompt" && spec.work.text === task;
  const aheadMs2 = last.at - (Date.now() - process.uptime() * 1e3);
  return isSame && aheadMs2 > -TOGETHER_MS && aheadMs2 < PATIENCE_MS;
}
var TOGETHER_MS = 5e3;
async function startAlone(input, root, { ultrawork, wish }) {
  const { env } = process;
  const project = projectOf(input, env);
  const holder = holderOf(root, project);
  if (holder !== void 0) {
    const fix = "Wait for it to end, or stop it with `ralph stop`.";
    throw new UserError("another run is under way in this folder", `run ${holder.run}`, fix);
  }
  const spec = await sessionSpec(input, { ...wish, ultrawork }, { project, root, env });
  const marker = await begin(input, root, spec);
  const { promise = "" } = spec.claim;
  const end = promise === "" ? "" : `, ends on <promise>${promise}</promise>`;
  const checks = spec.gates.length === 0 ? "" : `, checked by ${spec.gates.map(({ command }) => command).join("; ")}`;
  log(root, `${marker.run}: a loop began in session ${input.session} of ${input.agent}, in ${project}`);
  return {
    context: contract(spec),
    tell: `ralph: loop ${marker.run} began: sent back up to ${wish.maxIterations} times${end}${checks}. /cancel-ralph ends it.`
  };
}
function mustBeFound(root, env) {
  const { RALPH_STATE_DIR: own, XDG_STATE_HOME: base, HOME: home } = env;
  const [name2, path] = own ? ["RALPH_STATE_DIR", own] : base ? ["XDG_STATE_HOME", `${base}/ralph`] : ["HOME", `${home ?? ""}/.local/state/ralph`];
  if ((0, import_node_path28.isAbsolute)(path) && (0, import_node_path28.resolve)(path) === root) return;
  throw new UserError(
    "the state of a loop would not be found again",
    `${name2} is not set to a full path`,
    `Set ${name2} to one that begins with a slash, and start this program again.`
  );
}
function nameless() {
  return new UserError(
    "this session cannot be told from others",
    "the program gives it no id",
    "Use `ralph run` in a terminal."
  );
}
function endsTooSoon() {
  return new UserError(
    "this session cannot be kept going",
    "`opencode run` ends when its agent stops",
    "Start the loop on OpenCode's own screen or in `opencode serve`, or use `ralph run --agent opencode`."
  );
}
function second(run) {
  const fix = "End it with /cancel-ralph first, or wait for its end.";
  return new UserError("this session has a loop already", `run ${run}`, fix);
}
function loopBefore(session, root) {
  try {
    const before = readMarker(root, session);
    return before === void 0 ? void 0 : openLoop(before, session);
  } catch {
    return void 0;
  }
}
async function begin(input, root, spec) {
  const { project } = spec;
  const at = systemClock.now();
  const run = newRunId(at);
  const { folder, journal: path } = runFolder(root, project, run);
  const other = process.env["CLAUDE_CODE_SESSION_ID"] ?? "";
  const marker = {
    run,
    folder,
    project,
    transcriptFrom: transcriptSize(input.transcript),
    // A session inside another one's: the guards know it by the name of the outer one.
    ...isPlainId(other) && other !== input.session ? { alias: other } : {}
  };
  if (spec.gates.length > 0) ensureRalphFolder(project);
  const journal = await openJournal(path);
  try {
    await journal.append({
      type: "run.started",
      at,
      run,
      journal: 1,
      ralph: VERSION,
      spec,
      machine: machine()
    });
    const opening = openStore({ project, folder, run });
    const seen = await keepSnapshots({ project, folder, opening }).take(BEFORE(1));
    const isMeasured = spec.gates.length > 0 || spec.session?.uncounted === true;
    const tree = isMeasured ? await treeNow(marker) : void 0;
    const words = contract(spec);
    const promptSha256 = (0, import_node_crypto5.createHash)("sha256").update(words).digest("hex");
    const first = { ...iterationStarted(marker, 1, words), promptSha256 };
    await journal.append({ ...first, ...seen, ...tree === void 0 ? {} : { tree } });
  } finally {
    await journal.close();
  }
  takeSpool(root, input.session);
  writeMarker(root, input.session, marker);
  return marker;
}
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  startLoop
});
