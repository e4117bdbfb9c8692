// Traces as files have them: reading SEQ and .trc, writing SEQ.
//
// Labels are compared as bytes: a "key" is a string with one character a byte.

const HIDDEN = { seq: "i", trc: "tau" };

const keyOfBytes = (bytes) => {
  let key = "";
  for (let at = 0; at < bytes.length; at += 4096) {
    key += String.fromCharCode(...bytes.subarray(at, at + 4096));
  }
  return key;
};
const bytesOfKey = (key) => Uint8Array.from(key, (c) => c.charCodeAt(0));
const keyOfText = (text) => keyOfBytes(new TextEncoder().encode(text));
/// The text of a key, or null if its bytes are no UTF-8.
const textOfKey = (key) => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOfKey(key));
  } catch {
    return null;
  }
};

/// The sequences of a file of traces: `sequences`, each with `steps` (`hidden` or a
/// `key`) and `deadlock`, and `errors`, each with `line`, `column`, `text`.
function readTraceFile(bytes, name, format) {
  if (bytes[0] === 0) {
    const text = "a binary trace of mCRL2: transcode FILE.trc -o FILE.seq makes text of it";
    return { format: "trc", sequences: [], errors: [{ line: 1, column: 1, text }] };
  }
  let key = keyOfBytes(bytes);
  if (key.startsWith("\xef\xbb\xbf")) key = key.slice(3);
  const chosen = format === "auto" ? formatOf(key, name) : format;
  return chosen === "trc" ? readTrc(key) : readSeq(key);
}

/// The format of a text without a format: by the ending of its name, else SEQ if a line
/// looks like it.
function formatOf(key, name) {
  if (/\.trc$/i.test(name)) return "trc";
  if (/\.seq$/i.test(name)) return "seq";
  return /^[ \t]*(["[<(~\x01]|\*\*\*)/m.test(key) || !key.trim() ? "seq" : "trc";
}

const trimEnd = (line) => line.replace(/[ \t\r]+$/, "");
const stepOf = (key, hidden) => (key === hidden ? { hidden: true, key } : { hidden: false, key });

function readTrc(key) {
  let lines = key.split("\n").map(trimEnd).filter((line) => line);
  if (lines.length === 1 && lines[0].includes(";")) {
    lines = lines[0].split(";").map(trimEnd).filter((label) => label);
  }
  const steps = lines.map((label) => stepOf(label, HIDDEN.trc));
  return { format: "trc", sequences: [{ steps, deadlock: false }], errors: [] };
}

/// The simple form of SEQ: labels between quotes, `<deadlock>`, `[]`; other lines are
/// comments, and so is what stands between the bytes 01 and 02.
function readSeq(key) {
  const errors = [];
  const sequences = [];
  let now = null;
  const fail = (line, column, text) => errors.push({ line, column, text });
  const open = (line, column) => {
    if (!now) sequences.push((now = { steps: [], deadlock: false }));
    else if (now.deadlock) fail(line, column, "a sequence ends with <deadlock>; [] begins the next one");
    return now;
  };
  let elements = false;
  for (const { text, line, commented } of seqLines(key, fail)) {
    const column = text.length - text.trimStart().length + 1;
    const rest = text.slice(column - 1);
    if (!rest || !(commented || /^["[(<~]/.test(rest))) continue;
    elements = true;
    const label = /^"([^"]*)"(.*)$/.exec(rest);
    if (label) {
      if (label[2]) {
        const pattern = /^[ \t]*[*+&|^]/.test(label[2]);
        fail(line, column + label[1].length + 2, pattern ? PATTERN : "the line has to end after the label");
      } else {
        open(line, column).steps.push(stepOf(label[1], HIDDEN.seq));
      }
    } else if (rest === "[]") {
      now = null;
    } else if (rest === "<deadlock>") {
      open(line, column).deadlock = true;
    } else if (rest[0] === '"') {
      fail(line, column, "a label without a closing quote; there are no escapes");
    } else if (/^(\[(?!\])|[(~]|<(any|while|until)>)/.test(rest)) {
      fail(line, column, PATTERN);
    } else {
      fail(line, column, "expected a label between quotes, <deadlock> or []");
    }
  }
  const comments = key.split("\n").filter((line) => line.trim());
  const usual = (line) => /^[ \t]*(\*\*\*|#|--|\x01)/.test(line);
  const stray = elements ? undefined : comments.find((line) => !usual(line));
  if (stray !== undefined) {
    fail(1, 1, "no label between quotes, <deadlock> or [] in it: other lines are comments");
  }
  if (!sequences.length) sequences.push({ steps: [], deadlock: false });
  return { format: "seq", sequences, errors };
}

const PATTERN = "a pattern, not a trace; reach --find-sequence FILE searches for what a pattern describes";

/// The lines of a text in SEQ without comments between bytes 01 and 02, which may hold
/// ends of lines. Within quotes these bytes are no comments.
function* seqLines(key, fail) {
  let line = 1;
  let first = 1;
  let text = "";
  let quoted = false;
  let commented = false;
  for (let at = 0; at <= key.length; at++) {
    const c = key[at];
    if (c === "\x01" && !quoted) {
      const end = key.indexOf("\x02", at);
      if (end < 0) {
        fail(line, text.length + 1, "a comment without an end (byte 02)");
        return;
      }
      const comment = key.slice(at, end + 1);
      line += comment.split("\n").length - 1;
      commented ||= !text.trim();
      // blanks in its place, so that columns of what follows stay right
      text += " ".repeat(comment.length - 1 - comment.lastIndexOf("\n"));
      at = end;
    } else if (c === "\n" || c === undefined) {
      yield { text: trimEnd(text), line: first, commented };
      line += 1;
      first = line;
      [text, quoted, commented] = ["", false, false];
    } else {
      if (c === '"' && /^[ \t]*("[^"]*)?$/.test(text)) quoted = !quoted;
      text += c;
    }
  }
}

/// A trace as SEQ: `text`, of which each character is a byte, or `problem` if a label
/// cannot be written.
function writeSeq(steps, deadlock) {
  let text = "";
  for (const { hidden, key } of steps) {
    if (!hidden && (/["\n]/.test(key) || key === HIDDEN.seq)) {
      return { problem: `SEQ cannot express the label ${printableKey(key)}`, text: null };
    }
    text += `"${hidden ? HIDDEN.seq : key}"\n`;
  }
  return { problem: null, text: deadlock ? `${text}<deadlock>\n` : text };
}

/// Characters that nobody sees, or that turn the direction of a text.
const UNPRINTABLE = /[\p{Cc}\u00ad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/// A label as it is shown: what cannot be seen, or is no UTF-8, as `\xNN`.
function printableKey(key) {
  const escape = (bytes) => Array.from(bytes, (c) => `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`).join("");
  const text = textOfKey(key);
  if (text === null) return key.replace(/\\/g, "\\\\").replace(/[\x00-\x1f\x7f-\xff]/g, escape);
  if (text.search(UNPRINTABLE) < 0) return text;
  return text.replace(/\\/g, "\\\\").replace(UNPRINTABLE, (c) => escape(keyOfText(c)));
}
