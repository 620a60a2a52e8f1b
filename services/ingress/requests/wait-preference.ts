const waitPreference = /(?:^|[,;\s])wait=(\d{1,6})(?=$|[,;\s])/i

/** Seconds that `Prefer: wait=N` asks for; 0 if it is absent or malformed. */
export function waitSecondsOf(prefer: string | string[] | undefined, maxSeconds: number): number {
  if (typeof prefer !== 'string') return 0
  return Math.min(Number(waitPreference.exec(prefer)?.[1] ?? 0), maxSeconds)
}
