/** True if a pattern matches a host: an exact name, or `*.name` for any name below it. */
export const fitsHost = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
