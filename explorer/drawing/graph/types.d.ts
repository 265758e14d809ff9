// What a picture keeps, and what it is given by the server (ui/pages/autograd/graph.py) or by a page of its own (page.py).

/** Whose gradient may be shown: names with their shapes, what is asked for now, and labels. */
export interface Roots {
  names: [name: string, shape: string][];
  of: string;
  start: string;
  words: Record<string, string>;
}

export interface Data {
  svg: string;
  words: Record<string, string>;
  title: string;
  foldable: boolean;
  opened?: boolean; // whether modules were opened or closed by the reader
  fold: boolean; // whether loops are one card
  roots?: Roots | null;
  stale?: boolean;
  deaf?: boolean;
  failed?: string[];
  path?: Stop[];
  moment?: number; // when a time line came to rest: what it left there is drawn over
  film?: string; // the key of the film whose frames may be shown in its place
  came?: string; // the card that another lens chose
  ended?: number; // how many choices the server has ended
}

/** Sides in px, seen from the beginning of the scroller's content. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A card's place; `point`: how soon a picture opens there, from 0; `name`: the class that says so. */
export interface CardBox extends Box {
  point: number;
  name: string;
}

/** A card on the way of one entry, the edge to it, what stands on that, and what below the card. */
export type Stop = [card: string, edge: string, words: string, note: string];

export interface State {
  path?: Stop[];
  followed?: string; // the path that was shown last
  shown: string | null; // the drawing on the ground
  given?: string; // the server's last, and the moment it was for
  moment?: number;
  ended?: number;
  film?: string;
  parts?: string[]; // of the film's picture that stands in its place
  framed: string | null;
  stage: HTMLElement;
  scroller: HTMLElement;
  svg: SVGSVGElement;
  bare: boolean; // no picture lies on the ground yet
  more: HTMLButtonElement;
  /** By the class of cards, leaf or out, what leads to one that is not in view. */
  ends: Record<string, HTMLButtonElement>;
  map: SVGSVGElement;
  words: Record<string, string>;
  selected: string | null;
  hovered?: SVGElement | null;
  pointed?: Partial<Record<Pointed["kind"], CellSpan[]>>; // by the other parts of the page
  scale: number;
  zoomed: boolean;
  gliding?: { by: number; left: number; top: number; box: DOMRect }; // a zoom under way: its factor, where the picture is, where it was
  landing?: number;
  whole?: boolean;
  grows?: boolean; // its room is as high as the picture, and the page scrolls
  deaf?: boolean;
  places: CardBox[];
  stopped: string[];
  found: { card: SVGElement; hidden: string }[]; // hidden: what was found inside of it, "" of the card itself
  turned?: { path: string; open: boolean }; // the module that is being opened or closed
  sought?: string; // what is chosen when the module around it is drawn open
  step?: Stepped | null;
  replaced?: Map<string, string>; // by the id of a card that the player draws with another value: as the picture has it
  room?: string;
  opened?: Box;
  following?: number;
  set(name: string, value: unknown): void;
  pick(id: string | null): void;
  unfound(): void;
}

declare global {
  /** Of the Compression Streams standard, which the checker's own list of the browser does not know yet. */
  class DecompressionStream {
    constructor(format: "deflate" | "deflate-raw" | "gzip");
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
  }
}
