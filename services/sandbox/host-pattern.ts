/** Whether a host is the one that a pattern names: an exact name, or `*.name` for any below. */
export const fitsHost = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
