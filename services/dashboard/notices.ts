/** The notices that a page shows after a redirect. The address only names one of them, so it can inject no text. */
export const notices = {
  'signed-out': 'You are signed out.',
  'password-changed': 'Your password is changed. You are signed out everywhere else.',
  'password-reset': 'Your password is changed. Sign in with the new one.',
  'key-revoked': 'The key is revoked. Requests with it are refused.',
  'batch-begun': 'The batch has started.',
  'batch-cancelled': 'The batch is cancelled. No new videos start.',
  'batch-ended-before': 'The batch had already ended.',
  'watch-made': 'The watch is on. Its first check finds existing videos.',
  'watch-changed': 'The watch is saved.',
  'watch-on': 'The watch is on.',
  'watch-paused': 'The watch is paused.',
  'watch-deleted': 'The watch is deleted. Its jobs are kept.',
  'webhook-changed': 'The webhook is saved.',
  'webhook-on': 'The webhook is on. It is notified of new events.',
  'webhook-off': 'The webhook is off.',
  'webhook-deleted': 'The webhook is deleted.',
  'webhook-pinged': 'A message is on its way. Reload this page to see the outcome.',
  'webhook-redelivered': 'The message is being resent. Reload this page to see the outcome.',
  'webhook-replayed': 'Events since then are being resent.',
  'job-cancelled': 'The job is cancelled. Its credits are refunded in full.',
  'job-ended-before': 'The job had already ended.',
  'content-deleted': 'The job’s content is deleted. Its transactions are kept.',
  'job-begun': 'A new job with the same request has started.',
  'address-asked': 'Check your mail: a link is on its way to the new address. Nothing is changed until you open it.',
  'address-changed': 'Your e-mail address is changed.',
  'second-factor-off': 'Two-factor authentication is off. Your password is enough to sign in.',
  'key-changed': 'The key is changed.',
  'member-removed': 'The member is removed.',
  'member-invited': 'The invitation is sent.',
  'invitation-withdrawn': 'The invitation is withdrawn.',
  'role-changed': 'The role is changed.',
  'sessions-ended': 'You are signed out everywhere else.',
  'account-deleted': 'Your account is deleted.',
  'credits-granted': 'The credits are granted.',
  'plan-changed': 'The plan is changed.',
  'address-confirmed': 'Your address is confirmed. Sign in.',
  'session-ended': 'That session has ended.',
  'organization-closed': 'The organization is closed.',
  'organization-renamed': 'The organization has its new name.',
  left: 'You have left the organization.',
  joined: 'You are now a member.',
} as const

export type Notice = keyof typeof notices

export const noticeOf = (query: URLSearchParams): string | undefined => {
  const name = query.get('done') ?? ''
  return Object.hasOwn(notices, name) ? notices[name as Notice] : undefined
}
