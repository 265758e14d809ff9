// What the editor keeps, and what the server sends it (component.py).

import type { Fault, Ghost, CellText } from "../../drawing/notebook/types";

export type { Fault, Ghost };

/** A number as it stands in a text, without its sign. */
export interface Token {
  start: number;
  end: number;
  written: string;
}

/** A number as it can be turned: what is replaced, and how it is written. */
export interface Turnable {
  point: string;
  part: string;
  exponent: string;
  unit: string;
  bare: boolean;
  grouped: boolean;
  places: number;
  from: number;
  to: number;
  units: bigint;
  wrapped: boolean;
}

/** A number that is being turned, and the text it stood in. */
export interface Turn {
  cell: Cell;
  number: Turnable;
  text: string;
  by: "pointer" | "handle" | "plot";
  units: bigint;
  piece: string;
  touched?: boolean;
}

/** A line that another program does not have, or the one where two runs part. */
export type Mark = [line: number, kind: "changed" | "parting"];

/** A cell from 0, a line from 1, a column in code points. */
export type Place = [cell: number, line: number, column: number];

/** HTML before and after a cell, by the key it was sent under. */
export interface Shown {
  note?: string;
  outs?: string;
}

/** What HTML is put into: a cell, or the end of the program. */
export interface Frame {
  note: HTMLElement;
  outs: HTMLElement;
  shown: Shown;
}

export interface Cell extends Frame, CellText {
  id: number;
  hints?: Fault[];
  ghosts?: Ghost[]; // as the run left them
  box: HTMLElement;
  bar: HTMLElement;
  fold: HTMLButtonElement;
  add: HTMLButtonElement;
  run: HTMLButtonElement;
  title: HTMLElement;
  status: HTMLElement;
  area: HTMLTextAreaElement;
  handle: HTMLElement;
  history: History;
  typed?: boolean;
  marked?: string;
  reached?: number | null;
  token?: Token;
  counted?: { text: string; all: Token[] };
}

/** One step of undo: a piece in place of another. */
export interface Change {
  at: number;
  removed: string;
  added: string;
}

/** The steps before and after a text. `open`: the kind of input that may continue the last step. */
export interface History {
  text: string;
  past: Change[];
  future: Change[];
  open: string;
}

export interface Call {
  name: string;
  from: number;
}

/** The text of a cell, and where its caret stood. */
export interface Sent {
  id: number;
  text: string;
  caret: number;
}

/** What was typed since an edit was sent: a piece in place of so many characters before and after the caret. */
export interface Typed {
  piece: string;
  /** Whether it begins a line. */
  begins: boolean;
  before: number;
  after: number;
}

export interface State {
  root: HTMLElement;
  list: HTMLElement;
  live: HTMLElement;
  end: Frame;
  setStateValue(name: string, value: unknown): void;
  words: Record<string, string>;
  most?: number | null;
  cells: Cell[];
  revision: number;
  count: number;
  ran?: number;
  at: number | null;
  line?: string;
  step?: Stepped | null; // of the player
  sent: number;
  took: number;
  timed: number;
  answered: number | null;
  sentLengths?: string;
  /** The texts that were sent last, and those that the server is known to have. */
  gone?: string[];
  known?: string[];
  /** All that were sent since the last answer: the server may have any of them. */
  unanswered: string[][];
  lit: { hover: CellSpan[]; select: CellSpan[] };
  pointed: Partial<Record<Pointed["kind"], string>>;
  typing: boolean;
  notes: boolean;
  /** Beside another editor, which alone points at the pictures. */
  apart: boolean;
  /** Whether values stand at the ends of the lines. */
  ends?: boolean;
  composing?: boolean;
  quiet?: boolean;
  leaving?: boolean;
  turn?: Turn | null;
  origin?: Origin;
  /** Of the program: its key, its texts as it came, whether it was edited before, and the keys of that which it replaced and that which Ctrl+Z left. */
  key: string;
  asOpened: string;
  touched?: boolean;
  keptAs?: string;
  before: string;
  redo: string;
  undone: string;
  back?: HTMLElement;
  keeping?: number;
  wanted?: { settled: boolean } | null;
  /** An act that the server may not have heard of. */
  act?: { act: Act; count: number } | null;
  /** By the number of an edit the text with the caret as it was sent: the last ones. */
  past: Map<number, Sent>;
  /** The last edit of which the server made other cells. */
  divided: number;
  helping?: { cell: Cell; call: Call; asked: string } | null;
  tip?: HTMLElement;
  frame?: number;
  timer?: number;
  settling?: number;
  resting?: number;
  late?: number;
}

/** Something beyond typing, as component.py reads it. */
export type Act =
  | { do: "insert"; after: number }
  | { do: "paste"; cell: number; start: number; text: string }
  | { do: "open"; name: string; size: number; data: string };

/** Program data beside its texts, as session/edits.py reads it. `notes`: sent with the texts. */
export type Origin = {
  foreign: boolean;
  waits: boolean;
  name: string;
  key: string;
  ours: boolean;
  notes?: [number, string][];
  about?: string;
  abouts?: [number, string][];
};

/**
 * A program as this browser keeps it (session/programs.js). `before`: the key of the one that it replaced; `known`: texts
 * of the server, where later ones were typed; `sent`: those on their way to it; `touched`: whether it was edited; `closed`: that it is offered no longer.
 */
export interface Kept {
  at: number;
  before: string;
  cells: [id: number, text: string][];
  origin: Origin;
  known?: string[];
  sent?: string[][];
  touched?: boolean;
  closed?: boolean;
}

/** One cell as the server tells of it. `text`: null where the browser has it. */
export interface CellData {
  id: number;
  text: string | null;
  note: string;
  outs: string;
  state: string;
  status: string;
  ghosts: Ghost[];
  faults: Fault[];
  hints: Fault[];
  spans: Span[];
  idle: Span[];
  marks: Mark[];
}

export interface Data {
  session: string;
  revision: number;
  count: number | null;
  focus: Place | null;
  /** The number of the edit that the server's own cells and texts came of, -1 for none. */
  of: number;
  /** The number of the last act that was done. */
  acted: number;
  typing: boolean;
  before: boolean;
  ask: boolean;
  ends?: boolean;
  apart: boolean;
  origin: Origin;
  words: Record<string, string>;
  most?: number | null;
  cells: CellData[];
  end: string;
  html: Record<string, string>;
}
