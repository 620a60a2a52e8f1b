/** The pages of the dashboard that links lead to, below its URL. Each link has its token in `?token=`. */
export const linkPaths = {
  verify: '/verify',
  reset: '/reset',
  invite: '/invitation',
  /** A new address is confirmed. */
  email: '/account/email/confirm',
  /** The OpenID provider sends people back here. */
  provider: '/sign-in/provider',
  signIn: '/sign-in',
  /** A sign-in with a second factor continues here. */
  code: '/sign-in/code',
} as const

/** The link of a token that a person opens once. */
export const linkOf = (dashboardUrl: string, page: 'verify' | 'reset' | 'invite' | 'email', token: string): string =>
  `${dashboardUrl}${linkPaths[page]}?token=${token}`
