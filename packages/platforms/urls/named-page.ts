/** Names of the platforms' pages that are not videos, by the first part of the path or host name. */
const kinds: readonly [names: RegExp, what: string][] = [
  [/^(?:help|support|faq|helpcenter|supportcenter)$/, 'a help page'],
  [/^(?:login|signin|sign-?up|account|accounts|checkpoint|auth|oauth|recover|i-login)$/, 'a sign-in page'],
  [
    /^(?:business|businesshelp|ads?|adsmanager|adspolicy|advertising|marketing|seller|shop|commerce)$/,
    'a page for businesses',
  ],
  [/^(?:developers?|dev|docs|api|graph|tools)$/, 'a page for developers'],
  [/^(?:creators?|creatoracademy|studio|partners?|music|kids)$/, 'a page for creators'],
  [/^(?:about|newsroom|press|blog|engineering|careers|jobs|investor|transparency|status)$/, 'a page about the company'],
  [/^(?:legal|terms|tos|privacy|policy|policies|rules|safety|community-guidelines|copyright)$/, 'a page of rules'],
  [/^(?:search|results|explore|discover|hashtags?|tag|trending|feed|foryou|following|home)$/, 'a list of videos'],
  [/^(?:settings|messages|messaging|direct|notifications|inbox)$/, 'a page of an account'],
]

/** @param name the first part of a path or host name; undefined: a page without a name */
export const namedPage = (name: string): string | undefined =>
  kinds.find(([names]) => names.test(name.toLowerCase()))?.[1]
