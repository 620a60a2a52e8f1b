const MAX_LENGTH = 1000
const OURS = 'http://localhost'

/** The path that a sign-in redirects to. It is always below the dashboard, whatever the address asks for. */
export function nextPath(wanted: string | null): string {
  if (wanted === null || wanted.length > MAX_LENGTH || !wanted.startsWith('/')) return '/'
  // Browsers read a backslash as a slash, and ignore tabs and line ends.
  const url = URL.parse(wanted, OURS)
  return url === null || url.origin !== OURS || url.pathname.startsWith('//') ? '/' : url.pathname + url.search
}
