import { useEffect, useRef, useState } from "preact/hooks";

/** usePoll calls again after so many milliseconds, as long as the page can be seen, and when it is seen again; 0 is never. */
export function usePoll(again: () => void, wait: number): void {
  const now = useRef(again);
  now.current = again;
  useEffect(() => {
    if (!wait) return;
    const ask = () => document.visibilityState === "visible" && now.current();
    const timer = setInterval(ask, wait);
    document.addEventListener("visibilitychange", ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [wait]);
}

/** useClock makes a component show the time that passes, each second. */
export function useClock(runs: boolean): number {
  const [now, set] = useState(Date.now());
  useEffect(() => {
    if (!runs) return;
    set(Date.now());
    const timer = setInterval(() => set(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}
