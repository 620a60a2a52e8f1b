import type { Response } from 'express'

/** What a page may load: our own files, and scripts and styles with this page's nonce. */
const policyOf = (nonce: string): string =>
  [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `img-src 'self'`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')

/** Headers of every answer to a visitor. With `no-referrer`, browsers would send forms with the origin `null`. */
export function setSecurityHeaders(response: Response, nonce: string): void {
  response.set({
    'Content-Security-Policy': policyOf(nonce),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    'Cache-Control': 'no-store',
  })
}
