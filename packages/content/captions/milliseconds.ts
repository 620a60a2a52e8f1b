/** Rounds seconds to the millisecond, the precision of transcripts. */
export const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000
