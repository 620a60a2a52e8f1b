/**
 * A version of an event's data after the first: when it is written, and its conversions from and to the previous one.
 */
export type LaterVersion = {
  /** The format from which on events are written in this version. */
  sinceFormat: number
  /** Makes this version from the previous one. New fields become "not known". Pure. */
  upcast(before: unknown): unknown
  /** Makes the previous version from this one, for readers that know only that. Pure. */
  downcast(data: unknown): unknown
}

/** A later version, with the types of its data and of the previous version. */
export const laterVersion = <Before, Data>(
  sinceFormat: number,
  casts: { upcast(before: Before): Data; downcast(data: Data): Before },
): LaterVersion => ({ sinceFormat, ...casts }) as LaterVersion

/**
 * Every later version, by type; the first of a list is version 2. An unlisted type has one version (ops/adr/0006).
 */
export const laterVersions: Readonly<Record<string, readonly LaterVersion[]>> = {}

/** The format that writes every event in its newest version. */
export const newestFormat = 1
