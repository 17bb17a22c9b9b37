/** Elements in one line each. */

type Child = Node | string | number | null | undefined | false | Child[];

export type Props = Record<string, unknown> & { class?: string; testid?: string };

function append(element: Element, child: Child): void {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) child.forEach((each) => append(element, each));
  else element.append(child instanceof Node ? child : String(child));
}

/** `onclick` and the like become listeners, `testid` a data attribute, everything else an attribute. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === "testid") element.dataset.testid = String(value);
    else if (name === "class") element.className = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function s<K extends keyof SVGElementTagNameMap>(tag: K, props: Record<string, unknown> = {}, ...children: Node[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) if (value !== undefined && value !== null) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

let counter = 0;
export const uniqueId = (prefix: string) => `${prefix}-${++counter}`;
