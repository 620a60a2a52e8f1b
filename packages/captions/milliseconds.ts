/** Seconds to the millisecond, which is as exact as transcripts tell times. */
export const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000
