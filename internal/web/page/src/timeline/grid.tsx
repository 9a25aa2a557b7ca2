import { Component, type ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { defaultRangeExtractor, elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";

export const rowHeight = 26;
const headHeight = 26;
const overscan = 8;
// Elements are used again for other lines: replacing text is much cheaper than
// replacing elements. So many lines are never in sight at once.
const pool = 512;

/** What a view may do with its grid. */
export interface GridControl {
  /** show scrolls so that a line is in sight. */
  show: (index: number, align: "auto" | "center" | "start" | "end") => void;
  /** page is how many lines are in sight. */
  page: () => number;
}

interface Props {
  label: string;
  count: number;
  columns: string[];
  active: number; // the line that has the cursor; it is always there, for readers of the screen
  control: { current: GridControl | undefined };
  line: (index: number) => ComponentChildren;
  lineProps: (index: number) => Record<string, unknown>;
  seen: (first: number, last: number, atEnd: boolean, backward: boolean) => void;
  renew: unknown; // lines are drawn again when this changes
}

/** lineId is the DOM id of a line. */
export function lineId(index: number): string {
  return `line-${index}`;
}

/**
 * Grid is a tree grid of lines of one height, of which only those in sight are there.
 * The cursor is aria-activedescendant, so that the focus never leaves with a line that
 * scrolls out.
 */
export function Grid(props: Props) {
  const at = useRef<HTMLDivElement>(null);
  const [, draw] = useState(0);
  const now = useRef(props);
  now.current = props;

  const virtual = useMemo(() => {
    const options = (): ConstructorParameters<typeof Virtualizer<HTMLDivElement, HTMLDivElement>>[0] => ({
      count: now.current.count,
      getScrollElement: () => at.current,
      estimateSize: () => rowHeight,
      overscan,
      scrollMargin: headHeight,
      scrollPaddingStart: headHeight,
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      onChange: () => draw((n) => n + 1),
      rangeExtractor: (range) => {
        const all = defaultRangeExtractor(range);
        const active = now.current.active;
        if (active >= 0 && active < range.count) {
          if (active < all[0]!) all.unshift(active);
          else if (active > all[all.length - 1]!) all.push(active);
        }
        return all;
      },
    });
    const v = new Virtualizer<HTMLDivElement, HTMLDivElement>(options());
    return { v, update: () => v.setOptions(options()) };
  }, []);
  virtual.update();

  useLayoutEffect(() => virtual.v._didMount(), []);
  useLayoutEffect(() => virtual.v._willUpdate());

  props.control.current = {
    show: (index, align) => virtual.v.scrollToIndex(index, { align }),
    page: () => Math.max(1, Math.floor(((at.current?.clientHeight ?? rowHeight) - headHeight) / rowHeight) - 1),
  };

  const items = virtual.v.getVirtualItems();
  const range = virtual.v.range;
  const total = virtual.v.getTotalSize();
  // Going backward is the reader's doing only where there is no less to scroll than
  // before: else the grid grew, because something below it went away.
  const was = useRef({ top: 0, most: 0 });
  useEffect(() => {
    const { scrollTop: top = 0, scrollHeight = 0, clientHeight = 0 } = at.current ?? {};
    const most = scrollHeight - clientHeight;
    const backward = top < was.current.top - 1 && most >= was.current.most - 1;
    was.current = { top, most };
    if (range) props.seen(range.startIndex, range.endIndex, virtual.v.isAtEnd(rowHeight), backward);
  }, [range?.startIndex, range?.endIndex, total, props.renew]);

  return (
    <div
      ref={at}
      class="grid"
      role="treegrid"
      tabIndex={0}
      aria-label={props.label}
      aria-rowcount={props.count + 1}
      aria-colcount={props.columns.length}
      aria-readonly="true"
      aria-activedescendant={props.active >= 0 && props.active < props.count ? lineId(props.active) : undefined}
    >
      <div role="rowgroup" class="logline heads">
        <div role="row" aria-rowindex={1}>
          {props.columns.map((c) => (
            <span key={c} role="columnheader" class={`c-${c.toLowerCase()}`}>
              {c}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" class="loglines" style={{ height: `${total}px` }}>
        {items.map((item) => (
          <Line
            key={range && item.index >= range.startIndex - overscan && item.index <= range.endIndex + overscan ? item.index % pool : -1}
            index={item.index}
            start={item.start - headHeight}
            active={item.index === props.active}
            renew={props.renew}
            content={props.line}
            attributes={props.lineProps}
          />
        ))}
      </div>
    </div>
  );
}

interface LineProps {
  index: number;
  start: number;
  active: boolean;
  renew: unknown;
  content: (index: number) => ComponentChildren;
  attributes: (index: number) => Record<string, unknown>;
}

/** Line is drawn again only when something about it changed: scrolling moves most of them. */
class Line extends Component<LineProps> {
  override shouldComponentUpdate(next: LineProps): boolean {
    const p = this.props;
    return next.index !== p.index || next.start !== p.start || next.active !== p.active || next.renew !== p.renew;
  }

  override render(p: LineProps) {
    const { class: extra, ...attributes } = p.attributes(p.index);
    return (
      <div
        {...attributes}
        id={lineId(p.index)}
        role="row"
        class={`logline ${extra ?? ""} ${p.active ? "active" : ""}`}
        aria-rowindex={p.index + 2}
        aria-selected={p.active}
        style={{ transform: `translateY(${p.start}px)` }}
      >
        {p.content(p.index)}
      </div>
    );
  }
}
