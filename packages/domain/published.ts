const DAY_MS = 24 * 60 * 60 * 1000

/** The latest possible time of publication: for some videos only the day is known. */
export const latestOf = (publishedAt: number): number =>
  publishedAt % DAY_MS === 0 ? publishedAt + DAY_MS : publishedAt
