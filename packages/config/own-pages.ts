import type { Config } from './config.ts'

/** A page of whoever runs this service, outside of it: what its link says, and its URL. */
export type OwnPage = readonly [words: string, url: string]

/** Those that are set, for the foot of pages that anybody may see. */
export const ownPagesOf = ({
  termsUrl,
  privacyUrl,
  statusUrl,
}: Pick<Config, 'termsUrl' | 'privacyUrl' | 'statusUrl'>) =>
  Object.entries({ Terms: termsUrl, Privacy: privacyUrl, Status: statusUrl }).flatMap(([words, url]): OwnPage[] =>
    url === undefined ? [] : [[words, url]],
  )
