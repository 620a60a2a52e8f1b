import type { Mail } from '#packages/ports/mailer.ts'

const text = (...paragraphs: string[]): string => `${paragraphs.join('\n\n')}\n`

/** Each mail has one link, and says what to do where nobody asked for it, or what has happened. */
export const mailTexts = {
  verify: (to: string, link: string): Mail => ({
    to,
    subject: 'Confirm your e-mail address',
    text: text(
      'Somebody, probably you, has signed up to the Video Intelligence Service with this address. To confirm it, open:',
      link,
      'The link works once, for six days. If it was not you, do nothing: the account is then removed.',
    ),
  }),

  known: (to: string, link: string): Mail => ({
    to,
    subject: 'You have an account already',
    text: text(
      'Somebody, probably you, has signed up to the Video Intelligence Service with this address, which has an account. Sign in, or ask for a new password, at:',
      link,
      'If it was not you, do nothing.',
    ),
  }),

  reset: (to: string, link: string): Mail => ({
    to,
    subject: 'Choose a new password',
    text: text(
      'Somebody, probably you, has asked for a new password for the Video Intelligence Service. To choose one, open:',
      link,
      'The link works once, for one hour. If it was not you, do nothing: your password stays as it is.',
    ),
  }),

  newAddress: (to: string, link: string): Mail => ({
    to,
    subject: 'Confirm your new e-mail address',
    text: text(
      'Somebody, probably you, wants to use this address for an account of the Video Intelligence Service. To confirm it, sign in and open:',
      link,
      'The link works once, for one hour. If it was not you, do nothing: nothing is changed.',
    ),
  }),

  addressChangeAsked: (to: string, address: string): Mail => ({
    to,
    subject: 'A new e-mail address was requested',
    text: text(
      `Somebody, probably you, has asked to change the e-mail address of your Video Intelligence Service account to ${address}. Nothing is changed until that address is confirmed.`,
      'If it was not you, change your password now: whoever asked knows it.',
    ),
  }),

  addressChanged: (to: string, address: string): Mail => ({
    to,
    subject: 'Your e-mail address was changed',
    text: text(
      `The e-mail address of your Video Intelligence Service account is now ${address}. You no longer sign in with this one.`,
      'If it was not you, contact whoever runs the service at once.',
    ),
  }),

  secondFactorOff: (to: string): Mail => ({
    to,
    subject: 'Two-factor authentication was turned off',
    text: text(
      'Two-factor authentication was turned off for your account of the Video Intelligence Service. To sign in, your password is enough now.',
      'If it was not you, change your password now and turn it on again.',
    ),
  }),

  webhookOff: (
    to: string,
    { host, reason, link }: { host: string; reason: 'gone' | 'failing'; link: string },
  ): Mail => ({
    to,
    subject: `Nothing is sent to your webhook at ${host} any more`,
    text: text(
      reason === 'gone'
        ? `It has answered 410, by which a server says that it wants no more messages.`
        : `It has not taken any message for four days.`,
      'To switch it on again, and to have sent again what it has missed, open:',
      link,
    ),
  }),

  invite: (to: string, link: string): Mail => ({
    to,
    subject: 'You are invited to an organization',
    text: text(
      'You are invited to an organization of the Video Intelligence Service. To join it, open:',
      link,
      'The link works once, for seven days. If you do not know why, do nothing.',
    ),
  }),
} as const
