// What a picture keeps, and what it is given by the server (ui/pages/autograd/graph.py) or by a page of its own (page.py).

export interface View {
  direction: "TB" | "LR";
  fold: boolean;
}

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
  view: View;
  roots?: Roots | null;
  stale?: boolean;
  failed?: string[];
}

/** Sides in px, seen from the beginning of the scroller's content. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A card's place; `root`: the gradient starts there. */
export interface CardBox extends Box {
  root: boolean;
}

export interface State {
  shown: string | null;
  framed: string | null;
  stage: HTMLElement;
  scroller: HTMLElement;
  svg: SVGSVGElement;
  bare: boolean; // no picture lies on the ground yet
  more: HTMLButtonElement;
  words: Record<string, string>;
  selected: string | null;
  hovered?: SVGElement | null;
  scale: number;
  zoomed: boolean;
  whole?: boolean;
  sideways?: boolean;
  contributions: boolean;
  places: CardBox[];
  stopped: string[];
  found: SVGElement[];
  step?: Stepped | null;
  room?: string;
  opened?: Box;
  following?: number;
  set(name: string, value: unknown): void;
  ask(view: View): void;
  pick(id: string | null): void;
  unfound(): void;
}
