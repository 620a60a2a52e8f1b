/** What a page says after a redirect. The address names one of these: no text of it is ever shown. */
export const notices = {
  'signed-out': 'You are signed out.',
  'password-changed': 'Your password is changed. All other sessions have ended.',
  'address-asked': 'Check your mail: a link is on its way to the new address. Nothing is changed until you open it.',
  'address-changed': 'Your e-mail address is changed.',
  'second-factor-off': 'Two-factor authentication is off. Your password is enough to sign in.',
  'password-reset': 'Your password is changed. Sign in with the new one.',
  'key-revoked': 'The key is revoked. No request with it is accepted any more.',
  'key-changed': 'The key is changed.',
  'batch-begun': 'The batch has begun.',
  'batch-cancelled': 'The batch is cancelled. Nothing of it begins any more.',
  'batch-ended-before': 'The batch had ended already.',
  'watch-made': 'The source is watched. The first look tells what is there already.',
  'watch-changed': 'The watch is changed.',
  'watch-on': 'The watch looks again.',
  'watch-paused': 'The watch is paused. It does not look.',
  'watch-deleted': 'The watch is deleted. Its jobs stay.',
  'webhook-changed': 'The webhook is changed.',
  'webhook-on': 'The webhook is on. It is told of what happens from now on.',
  'webhook-off': 'The webhook is off. Nothing is sent to it.',
  'webhook-deleted': 'The webhook is deleted. Nothing is sent to it any more.',
  'webhook-pinged': 'A message is on its way. Load this page again to see what came of it.',
  'webhook-redelivered': 'The message is sent again. Load this page again to see what came of it.',
  'webhook-replayed': 'What has happened since then is sent again.',
  'job-cancelled': 'The job is cancelled. Its credits come back in full.',
  'job-ended-before': 'The job had ended already.',
  'content-deleted': 'Everything about the job is deleted. Its credits stay in the list of transactions.',
  'job-begun': 'A new job with the same request has begun.',
  'member-removed': 'The member is removed.',
  'member-invited': 'The invitation is sent.',
  'invitation-withdrawn': 'The invitation is withdrawn.',
  'role-changed': 'The role is changed.',
  'sessions-ended': 'All other sessions have ended.',
  'account-deleted': 'Your account is deleted.',
  'credits-granted': 'The credits are granted.',
  'plan-changed': 'The plan is changed.',
  'address-confirmed': 'Your address is confirmed. Sign in.',
  'session-ended': 'That session has ended.',
  'organization-renamed': 'The organization has its new name.',
  left: 'You have left the organization.',
  joined: 'You are a member now.',
} as const

export type Notice = keyof typeof notices

export const noticeOf = (query: URLSearchParams): string | undefined => {
  const name = query.get('done') ?? ''
  return Object.hasOwn(notices, name) ? notices[name as Notice] : undefined
}
