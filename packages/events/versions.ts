import type {
  CaptionsReadV1,
  CaptionsReadV2,
  CreditsDebitedV1,
  CreditsDebitedV2,
  CreditsSettledV1,
  CreditsSettledV2,
  CreditsStatedV1,
  CreditsStatedV2,
  JobFailedV1,
  JobFailedV2,
  JobRequestedV1,
  JobRequestedV2,
  KeyCreatedV1,
  KeyCreatedV2,
  StepFailedV1,
  StepFailedV2,
} from '#contracts/generated/events.ts'

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

const noOptions = { failFast: false, strictLang: false, translate: false, words: false, speakers: false }

/** What a debit was for, where that is not known. */
const unknownPurpose = { operation: null, mode: null, platform: null, keyId: null }

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
  JobRequested: [
    laterVersion<JobRequestedV1, JobRequestedV2>(2, {
      upcast: (before) => ({ ...before, keyId: null, options: noOptions }),
      downcast: ({ keyId, options, ...before }) => before,
    }),
  ],
  CaptionsRead: [
    laterVersion<CaptionsReadV1, CaptionsReadV2>(2, {
      upcast: (before) => before,
      downcast: ({ source, ...rest }) => ({ ...rest, source: source === 'translated' ? 'automatic' : source }),
    }),
  ],
  CreditsDebited: [
    laterVersion<CreditsDebitedV1, CreditsDebitedV2>(2, {
      upcast: (before) => ({ ...before, mode: null, platform: null, keyId: null, period: '' }),
      downcast: ({ mode, platform, keyId, period, ...before }) => before,
    }),
  ],
  CreditsSettled: [
    laterVersion<CreditsSettledV1, CreditsSettledV2>(2, {
      upcast: (before) => ({ ...before, ...unknownPurpose }),
      downcast: ({ operation, mode, platform, keyId, ...before }) => before,
    }),
  ],
  CreditsStated: [
    laterVersion<CreditsStatedV1, CreditsStatedV2>(2, {
      upcast: ({ openDebits, ...before }) => ({
        ...before,
        openDebits: openDebits.map((debit) => ({ ...debit, ...unknownPurpose, period: '' })),
        spending: { period: '', keys: [] },
      }),
      downcast: ({ openDebits, spending, ...before }) => ({
        ...before,
        openDebits: openDebits.map(({ jobId, credits, requestHash }) => ({ jobId, credits, requestHash })),
      }),
    }),
  ],
  KeyCreated: [
    laterVersion<KeyCreatedV1, KeyCreatedV2>(2, {
      upcast: (before) => ({ ...before, scopes: null, monthlyCredits: null, expiresAt: null, createdBy: null }),
      downcast: ({ scopes, monthlyCredits, expiresAt, createdBy, ...before }) => before,
    }),
  ],
}

/** The format that writes every event in its newest version. */
export const newestFormat = 2
