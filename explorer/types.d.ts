// What the scripts of pages stand on: Streamlit's page object, what they keep beside it, and what the browser knows
// better than its declarations.

/** What Streamlit gives a component's script: the data of the server, its place, and the way back. */
interface Page<Data> {
  data: Data;
  parentElement: HTMLElement;
  setStateValue(name: string, value: unknown): void;
}

/** Undoes what a script did; receives whether this is the component's end. */
type Stop = (ended?: boolean) => void;

/** A line, a column, the line and the column where it ends; lines from 1, columns in code points from 0. */
type Span = [line: number, column: number, endLine: number, endColumn: number];

/** A span in one of the cells, which are counted from 0. */
type CellSpan = [cell: number, line: number, column: number, endLine: number, endColumn: number];

/** explorer:point: which expressions somebody points at. `again`: they were chosen before, and stand elsewhere now. */
interface Pointed {
  spans: CellSpan[];
  source: "editor" | "graph" | "chips" | "lens";
  kind: "hover" | "select" | "caret";
  again?: boolean;
}

/** explorer:step: what a step of the player shows; null: the whole picture, at rest. */
interface Stepped {
  card: string;
  edges: string[];
  past: string[];
  waiting: string[];
  lines: [cell: number, line: number][]; // whose result has no gradient yet
  asked: string[];
  follow: boolean;
  elsewhere?: boolean; // whether the picture is that of another backward than the server's own
  position?: number; // of the step of a film that the picture is of
  begun?: boolean; // whether the picture's backward has begun
  absent?: string[]; // cards that no operation has made yet
  fresh?: string[]; // made by this very step
  growing?: string[]; // folded loops with rounds still to come: their values are not the drawn ones yet
  drawn?: Record<string, string | null>; // leaves with their value then; null: as in the picture
  written?: string[]; // those that this very step changed
  raised?: Record<string, string>; // by card the version before and after this step's write
  freed?: string[]; // what they kept for backward is released
  at?: [cell: number, line: number] | null; // the line that runs
  beside?: Framed["beside"] | null; // what stands at the ends of the lines; null: what stands there at the end
  out?: [cell: number, html: string, all: boolean] | null; // what the program has shown by then; null: everything
}

/** explorer:frame: a picture of a film while its time line moves; null where none is at hand: what is shown is of another step. */
interface Framed {
  by?: "player"; // who shows it, where that is not the film's time line
  svg: string[]; // its parts, as frames.py has them
  legend: string;
  sentence: string;
  beside: [line: number, shape: string, value: string, label?: string, gradient?: string, held?: string][][];
}

/**
 * The rounds of a training loop of which the server shows one (ui/pages/autograd/strip.js); explorer:rounds says that
 * they changed. A position is one of the kept rounds, from 0.
 */
interface Rounds {
  key: string;
  at: number; // the hand's position; -1: none of them
  own: number; // of the server's picture
  calls: number;
  thinned: string;
  playing: boolean;
  numbers: number[]; // from 1, by position; as are
  losses: (number | null)[];
  lossTexts: string[]; // the losses with their name, in words
  curve: string; // that name, where a run has the losses of several places
  backwards: number[]; // -1 where the round was only counted
  words(at: number): { step: string; rounds: string };
  go(at: number, held?: boolean): void; // held: until it is released nothing is asked of the server
  release(): void;
  play(on: boolean): void;
  want(): void; // their frames
  leave(): void; // the hand goes on to a moment of the run
  redraw(): void; // the server's picture takes the place of what is shown
}

/** explorer:helped: what is known about a call; nothing where there is no signature. */
interface Helped {
  name: string;
  signature: string;
  sentence: string;
}

/** explorer:why: of which number somebody asks why: that of a card, or the one beside a line. */
type Asked =
  | { card: string; of: "gradient" | "value" | ""; entry?: number }
  | { code: string }
  | { cell: number; line: number; of: "gradient" | "value" };

/** explorer:turn: the slope beside the graph turns the number that has a value within a span: to another, by steps, or ends. */
interface Turning {
  span: CellSpan;
  was: number;
  entry: number; // which of several numbers, from 0
  to?: number;
  steps?: number;
  over?: boolean; // true: keep it
}

/** explorer:turned: a number of the code is being turned. */
interface Turned {
  place: [cell: number, line: number, column: number];
  was: number;
  value: number;
}

interface DocumentEventMap {
  "explorer:point": CustomEvent<Pointed>;
  "explorer:step": CustomEvent<Stepped | null>;
  "explorer:frame": CustomEvent<Framed | null>;
  "explorer:choose": CustomEvent<string>;
  "explorer:show": CustomEvent<string>;
  "explorer:turn": CustomEvent<Turning>;
  "explorer:turned": CustomEvent<Turned>;
  "explorer:why": CustomEvent<Asked>;
  "explorer:help": CustomEvent<{ name: string }>;
  "explorer:helped": CustomEvent<Helped>;
  "explorer:present": CustomEvent<null>;
}

// HTML elements, unless a call says otherwise: a picture's own are named as what they are.
interface ParentNode {
  querySelector<E extends Element = HTMLElement>(selectors: string): E | null;
  querySelectorAll<E extends Element = HTMLElement>(selectors: string): NodeListOf<E>;
}
interface Element {
  closest<E extends Element = HTMLElement>(selectors: string): E | null;
  checkVisibility(options?: { visibilityProperty?: boolean }): boolean;
}

/** Elements above the page. */
interface HTMLElement {
  popover: string | null;
  showPopover(): void;
  hidePopover(): void;
}

declare var explorerScripts: Record<string, (page: Page<unknown>) => Stop | void> | undefined;
declare var explorerOutputs: Map<string, string> | undefined;

/** The moment that the address named when the app was loaded (drawing/player/player.js). */
declare var explorerMoment: number | undefined;

declare var explorerRounds: Rounds | undefined;

/** The frames of a film and the inspector's numbers for them, packed, each with what it is of; `wanted` is what the time line waits for (ui/pages/autograd/reel.js). */
declare var explorerReel:
  | (Partial<Record<"frames" | "bodies" | "line", { key: string; packed: string }>> & { wanted?: string })
  | undefined;

/** What this browser remembers of the lessons, and what was asked last (ui/pages/lessons/memory.js). */
/** The page's loading of plotly.js (drawing/plots/plot.js). */
declare var explorerPlotly: Promise<void> | undefined;
declare var __streamlit: { BACKEND_BASE_URL?: string } | undefined;

/** plotly.js */
declare var Plotly: {
  react(place: HTMLElement, figure: object): Promise<unknown>;
  relayout(place: HTMLElement, change: object): Promise<unknown>;
  Plots: { resize(place: HTMLElement): void };
};
declare var explorerHeals: MutationObserver | undefined;
declare var explorerStops: MutationObserver | undefined;
declare var explorerCourse: { written: string; focus: string | null; timer?: number } | undefined;

/** The programs of this browser (ui/session/programs.js): where nothing can be kept, all; the key of the one in this tab; that of one that comes back. */
declare var explorerPrograms: { list: import("./ui/editor/types").Kept[]; tab: string; count: number; back?: string } | undefined;

/** What the browser knows of the address, as long as the page is loaded (ui/session/links.js). */
declare var explorerAddress:
  | {
      written: Record<string, string | null>; // fragments by page
      session?: string; // the name of the session that sent it last
      count: number;
      waits?: { count: number; page: string } | null; // an address that the server got and has not read
      unheard?: string | null; // of a new session: its own text, until it has heard that of the editor
      moved?: boolean;
      replaces?: boolean; // the next program was brought by the address of this entry of the history
      draft?: string | null;
      of?: string;
      next?: import("./ui/session/links").Data | null;
      writing?: number;
      listens?: boolean;
      now?: { data: import("./ui/session/links").Data; set: (name: string, value: unknown) => void };
    }
  | undefined;
