// A program's text as it is drawn, in the editor and in a page of its own.

/**
 * What stands at the end of a line. `held`: what lies in `.grad`, where that is another gradient; `hypothetical`: whether
 * the program called no backward that gave the gradient.
 */
export type Ghost = [
  line: number, shape: string, value: string, label?: string, gradient?: string, held?: string, hypothetical?: boolean,
];
export type Fault = [...span: Span, message: string];

/** A cell's text and what is marked in it. `draft`: its text while one of its numbers is turned. */
export interface CellText {
  lines: string[];
  spans: Span[];
  idle: Span[];
  faults: Fault[];
  paint: HTMLElement;
  area: Pick<HTMLTextAreaElement, "value" | "rows">;
  draft?: string;
}
