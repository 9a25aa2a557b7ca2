import { useEffect, useRef, useState } from "preact/hooks";

/**
 * usePoll asks again after so many milliseconds, as long as the page can be seen, and when it is seen
 * again; 0 is never. What is still being asked for is waited for, however slow the server is.
 */
export function usePoll(of: { again: () => void; loading: boolean }, wait: number): void {
  const now = useRef(of);
  now.current = of;
  useEffect(() => {
    if (!wait) return;
    const ask = () => document.visibilityState === "visible" && !now.current.loading && now.current.again();
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
