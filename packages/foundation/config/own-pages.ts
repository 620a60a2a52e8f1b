import type { Config } from './config.ts'

/** The operator's own page outside this service: the text of its link, and its URL. */
export type OwnPage = readonly [words: string, url: string]

/** The configured pages, for the footer of public pages. */
export const ownPagesOf = ({
  termsUrl,
  privacyUrl,
  statusUrl,
}: Pick<Config, 'termsUrl' | 'privacyUrl' | 'statusUrl'>) =>
  Object.entries({ Terms: termsUrl, Privacy: privacyUrl, Status: statusUrl }).flatMap(([words, url]): OwnPage[] =>
    url === undefined ? [] : [[words, url]],
  )
