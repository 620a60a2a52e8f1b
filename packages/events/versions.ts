import type { JobFailedV1, JobFailedV2, StepFailedV1, StepFailedV2 } from '#contracts/generated/events.ts'

/** A version of an event's data after the first: when it is written, and its conversions from and to the one before. */
export type LaterVersion = {
  /** The format (`EVENTS_FORMAT`) from which on events are written in this version. */
  sinceFormat: number
  /** Makes this version from the one before it. Fields that are new become "not known". Pure. */
  upcast(before: unknown): unknown
  /** Makes the version before it from this one, for readers that know only that. Pure. */
  downcast(data: unknown): unknown
}

const laterVersion = <Before, Data>(
  sinceFormat: number,
  casts: { upcast(before: Before): Data; downcast(data: Data): Before },
): LaterVersion => ({ sinceFormat, ...casts }) as LaterVersion

/** Every later version, by type; the first of a list is version 2. A type that is not listed has one version. */
export const laterVersions: Readonly<Record<string, readonly LaterVersion[]>> = {
  StepFailed: [
    laterVersion<StepFailedV1, StepFailedV2>(2, {
      upcast: (before) => ({ ...before, used: null }),
      downcast: ({ used, ...before }) => before,
    }),
  ],
  JobFailed: [
    laterVersion<JobFailedV1, JobFailedV2>(2, {
      upcast: (before) => ({ ...before, used: null }),
      downcast: ({ used, ...before }) => before,
    }),
  ],
}

/** The format that writes every event in its newest version. */
export const newestFormat = 2
