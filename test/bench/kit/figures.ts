/** A number as the report shows it: three significant digits, thousands separated. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: 0 })
}

export const perSecond = (value: number): string => `${figure(value)}/s`
export const milliseconds = (value: number): string => `${figure(value)} ms`
export const megabytes = (bytes: number): string => `${figure(bytes / 1e6)} MB`
export const times = (value: number): string => `${value.toFixed(2)} ×`
