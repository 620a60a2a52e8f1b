/** SQLite's primary result code in an error: the low byte of the extended code. 0 if there is none. */
export const codeOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff
