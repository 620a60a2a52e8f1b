const MAX_LENGTH = 1000
const OURS = 'http://localhost'

/** Where a sign-in leads: below the dashboard, whatever an address asks for. */
export function nextPath(wanted: string | null): string {
  if (wanted === null || wanted.length > MAX_LENGTH || !wanted.startsWith('/')) return '/'
  // As browsers read it: a backslash is a slash, and tabs and line ends are nothing.
  const url = URL.parse(wanted, OURS)
  return url === null || url.origin !== OURS || url.pathname.startsWith('//') ? '/' : url.pathname + url.search
}
