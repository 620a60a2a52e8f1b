const units: Record<string, number> = { K: 1e3, M: 1e6, B: 1e9 }

/** The first number of a text: `1,234`, or rounded by YouTube, `1.2K`. */
export function countIn(text: string | null): number | null {
  const [, digits, unit = ''] = /(\d[\d,]*(?:\.\d+)?)([KMB])?\b/.exec(text ?? '') ?? []
  return digits === undefined ? null : Math.round(Number(digits.replaceAll(',', '')) * (units[unit] ?? 1))
}

/** `15,260 views`, `1 view`, `1.2K views`, `No views`. A broadcast has `1,071 watching`, which are not views. */
export function viewsIn(text: string | null): number | null {
  if (text === 'No views') return 0
  return /^[\d.,]+[KMB]? views?$/.test(text ?? '') ? countIn(text) : null
}
