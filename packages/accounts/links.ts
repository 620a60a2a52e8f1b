/** The pages of the dashboard that links lead to, below its URL. Each link has its token in `?token=`. */
export const linkPaths = {
  verify: '/verify',
  reset: '/reset',
  invite: '/invitation',
  /** The OpenID provider sends people back here. */
  provider: '/sign-in/provider',
  signIn: '/sign-in',
} as const

/** The link of a token that a person opens once. */
export const linkOf = (dashboardUrl: string, page: 'verify' | 'reset' | 'invite', token: string): string =>
  `${dashboardUrl}${linkPaths[page]}?token=${token}`
