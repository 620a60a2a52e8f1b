/** The primary result code of SQLite in an error, which is the low byte of the extended one; 0 where there is none. */
export const codeOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff
