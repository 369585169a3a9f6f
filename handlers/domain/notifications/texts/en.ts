import type { MessageData, MessageKey } from '../notification-kinds.ts'

/** A message in words. */
export interface MessageText {
  title: string
  text: string
}

/** All that is said in one language. */
export interface NotificationTexts {
  messages: Readonly<Record<MessageKey, (data: MessageData) => MessageText>>
  mail: {
    /** What stands before the title in the subject of a mail. */
    subject: (title: string) => string
    hello: (username: string) => string
    see: (address: string) => string
    many: (count: number) => string
    manyLead: (count: number) => string
    more: (count: number) => string
    why: string
  }
}

const mb = (value: string | number | undefined): string => {
  const size = Number(value ?? 0)
  return size >= 1000 ? `${Number((size / 1000).toFixed(1))} GB` : `${size} MB`
}
const byHand = ({ by_hand }: MessageData): string =>
  by_hand === undefined
    ? ''
    : ' Its names are proved by records that you set: order it anew, and set the new ones.'
const because = ({ error }: MessageData): string => (error === undefined ? '' : ` ${error}`)

/** English. */
export const en: NotificationTexts = {
  messages: {
    'certificate.failed': (data) => ({
      title: `No certificate for ${data['domain']}`,
      text: `The last order for ${data['domain']} failed.${because(data)} The site keeps what it has.`,
    }),
    'certificate.expiring': (data) => ({
      title: `The certificate of ${data['domain']} runs out`,
      text: `It is good until ${data['expires_at']} UTC; from then on browsers keep visitors out.${byHand(data)}${because(data)}`,
    }),
    'certificate.expiring_10': (data) => ({
      title: `The certificate of ${data['domain']} runs out in ten days`,
      text: `It is good until ${data['expires_at']} UTC; from then on browsers keep visitors out.${byHand(data)}${because(data)}`,
    }),
    'certificate.expiring_3': (data) => ({
      title: `The certificate of ${data['domain']} runs out in three days`,
      text: `It is good until ${data['expires_at']} UTC; from then on browsers keep visitors out.${byHand(data)}${because(data)}`,
    }),
    'certificate.expired': (data) => ({
      title: `The certificate of ${data['domain']} has run out`,
      text: `It was good until ${data['expires_at']} UTC. Browsers keep visitors out.${byHand(data)}${because(data)}`,
    }),
    'backup.failed': (data) => ({
      title: `A backup of ${data['username']} failed`,
      text: `It was begun at ${data['at']} UTC, and none was made there since.`,
    }),
    'backup.overdue': (data) => ({
      title: `The backup of ${data['username']} is overdue`,
      text:
        data['newest'] === undefined
          ? 'There is none yet, though one was due by the schedule.'
          : `The newest is of ${data['newest']} UTC, older than the schedule says.`,
    }),
    'backup.doubtful': (data) => ({
      title: `A backup of ${data['username']} could not be proved`,
      text: `What was read back at ${data['at']} UTC was not whole. Make another backup now.`,
    }),
    'quota.disk_80': (data) => ({
      title: `${data['username']} has used 80 % of its disk space`,
      text: `${mb(data['used_mb'])} of ${mb(data['quota_mb'])} are in use.`,
    }),
    'quota.disk_95': (data) => ({
      title: `${data['username']} has used 95 % of its disk space`,
      text: `${mb(data['used_mb'])} of ${mb(data['quota_mb'])} are in use. When it is full, uploads and mails fail.`,
    }),
    'quota.disk_full': (data) => ({
      title: `The disk space of ${data['username']} is full`,
      text: `${mb(data['used_mb'])} of ${mb(data['quota_mb'])} are in use: nothing can be written until some is freed.`,
    }),
    'quota.bandwidth_80': (data) => ({
      title: `${data['username']} has used 80 % of this month’s traffic`,
      text: `${mb(data['used_mb'])} of ${mb(data['quota_mb'])} were sent.`,
    }),
    'quota.bandwidth_95': (data) => ({
      title: `${data['username']} has used 95 % of this month’s traffic`,
      text: `${mb(data['used_mb'])} of ${mb(data['quota_mb'])} were sent. When it is used up, the sites close until the month ends.`,
    }),
    'quota.bandwidth_full': (data) => ({
      title: `The traffic of ${data['username']} is used up`,
      text: `${mb(data['used_mb'])} of ${mb(data['quota_mb'])} were sent. The sites are closed until the month ends.`,
    }),
    'quota.memory': (data) => ({
      title: `Programs of ${data['username']} were ended for want of memory`,
      text: `The kernel ended ${data['count']} within a day, the last one at ${data['at']} UTC: together they took more than the plan gives.`,
    }),
    'disk.low': (data) => ({
      title: `The disk at ${data['mount']} is nearly full`,
      text: `${mb(data['free_mb'])} of ${mb(data['total_mb'])} are free.`,
    }),
    'disk.full': (data) => ({
      title: `The disk at ${data['mount']} is full`,
      text: `${mb(data['free_mb'])} of ${mb(data['total_mb'])} are free. Backups, uploads, certificates and databases that are written there fail.`,
    }),
    'disk.read_only': (data) => ({
      title: `The disk at ${data['mount']} takes no writes`,
      text: 'It is mounted read-only; the kernel does that when a disk fails.',
    }),
    'job.failed': (data) => ({
      title: `Work on ${data['subject']} failed`,
      text: because(data).trim(),
    }),
    'cron.failed': (data) => ({
      title: `The cron job ${data['name']} fails`,
      text: `It has failed ${data['failures']} times in a row for ${data['username']}. Its last runs say why.`,
    }),
    'login.new_place': (data) => ({
      title: 'Login from a new place',
      text: `${data['device'] || 'An unnamed program'} at ${data['address']} logged in at ${data['at']} UTC. If that was not you, change your password now: it ends all sessions.`,
    }),
    'security.password_changed': (data) => ({
      title: 'Your password was changed',
      text: `At ${data['at']} UTC. If that was not you, have an administrator set a new one.`,
    }),
    'security.password_set': (data) => ({
      title: 'An administrator set your password',
      text: `At ${data['at']} UTC. All sessions and API tokens from before have ended.`,
    }),
    'security.token_made': (data) => ({
      title: `API token ${data['name']} was made`,
      text: `At ${data['at']} UTC. If that was not you, delete it and change your password.`,
    }),
    'security.passkey_added': (data) => ({
      title: `Passkey ${data['name']} was added`,
      text: `At ${data['at']} UTC. It opens the panel without password and code. If that was not you, remove it and change your password.`,
    }),
    'security.second_factor_off': (data) => ({
      title: 'Your second factor is off',
      text: `Since ${data['at']} UTC the password alone lets you in. If that was not you, change your password now.`,
    }),
    'security.second_factor_taken': (data) => ({
      title: 'An administrator took your second factor off',
      text: `Since ${data['at']} UTC the password alone lets you in. Set up another one.`,
    }),
    'update.available': (data) => ({
      title: `Updates for ${data['count']} packages`,
      text: `Of those that Berth needs: ${data['names']}.`,
    }),
    'update.security': (data) => ({
      title: `Security updates for ${data['count']} packages`,
      text: `Of those that Berth needs: ${data['names']}. Install them soon.`,
    }),
    'mail.relay': (data) => ({
      title: 'Mails do not go out',
      text: `The relay fails since ${data['since']} UTC: ${data['answer']}`,
    }),
    'machine.away': (data) => ({
      title: `The machine ${data['name']} does not answer`,
      text: `${data['since'] === undefined ? 'It never did.' : `It answered last at ${data['since']} UTC.`} Its sites may well go on; until it is back its accounts cannot be changed.`,
    }),
    'machine.back': (data) => ({
      title: `The machine ${data['name']} is back`,
      text: `It answers again${data['since'] === undefined ? '' : `, after it was silent since ${data['since']} UTC`}. What was left open of its accounts is being settled.`,
    }),
    'machine.service': (data) => ({
      title: `${data['name']} does not run as it should`,
      text: `${data['why'] ? `${data['why']}. ` : ''}It is started again by itself; “berth doctor” says what to look at.`,
    }),
    'machine.certificate': (data) => ({
      title: `The certificate of the machine ${data['name']} runs out`,
      text: `It is good until ${data['expires_at']} UTC and could not be changed; from then on the panel does not reach that machine. Try it by hand: berth hosts rotate ${data['name']}`,
    }),
  },
  mail: {
    subject: (title) => `Berth: ${title}`,
    hello: (username) => `Hello ${username},`,
    see: (address) => `See: ${address}`,
    many: (count) => `${count} notifications`,
    manyLead: (count) =>
      `${count} things happened; they come in one mail so that it does not become many:`,
    more: (count) => `and ${count} more, which the panel shows`,
    why: 'Which mails you get is set in the panel under Settings, Notifications.',
  },
}
