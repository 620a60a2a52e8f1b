/**
 * Variables that set the clock of node ahead by `ms` milliseconds, and that of every thread and process it starts.
 * Timers run as usual.
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
