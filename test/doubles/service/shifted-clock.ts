/**
 * Variables under which node, and every thread and process that it starts, takes the time for so many milliseconds later
 * than it is: a clock that is wrong. Timers run as ever.
 */
export function shiftedClock(ms: number): Record<string, string> {
  const code = `const RealDate = Date
globalThis.Date = class Date extends RealDate {
  constructor(...words) {
    if (words.length === 0) super(RealDate.now() + ${ms})
    else super(...words)
  }
  static now() {
    return RealDate.now() + ${ms}
  }
}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}
