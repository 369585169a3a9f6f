import type {
  AccountLimits,
  ApiToken,
  AuditEntry,
  Host,
  NotificationDelivery,
  NotificationPreferences,
  NotificationWebhook,
  Passkey,
  Person,
  PlanView,
  Reseller,
  SecondFactorState,
  StandingSession,
  User,
} from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import { settingsTabs } from '$lib/state/settings-tab'
import type { PageServerLoad } from './$types'

const AUDIT_SHOWN = 300

export const load: PageServerLoad = async (event) => {
  event.depends('berth:settings')
  const { me } = await event.parent()
  const asked = event.url.searchParams.get('tab')
  const tab = settingsTabs(me.role).find((one) => one === asked) ?? 'you'
  const only = <T>(wanted: typeof tab, path: string) =>
    tab === wanted ? readApi<T>(event, path) : null
  const [factor, passkeys, sessions, tokens, limits, plans, users, people, resellers, audit] =
    await Promise.all([
      only<SecondFactorState>('you', '/api/auth/totp'),
      only<Passkey[]>('you', '/api/auth/passkeys'),
      only<StandingSession[]>('sessions', '/api/sessions'),
      only<ApiToken[]>('tokens', '/api/tokens'),
      me.account_id ? only<AccountLimits>('tokens', `/api/accounts/${me.account_id}/limits`) : null,
      only<PlanView[]>('plans', '/api/plans'),
      only<User[]>('users', '/api/users'),
      only<Person[]>('people', '/api/people'),
      only<Reseller[]>('resellers', '/api/resellers'),
      only<AuditEntry[]>('audit', `/api/audit?per_page=${AUDIT_SHOWN}`),
    ])
  const hosts = await only<Host[]>('hosts', '/api/hosts')
  const notified = '/api/notifications'
  const [preferences, webhook, deliveries] = await Promise.all([
    only<NotificationPreferences>('notifications', `${notified}/preferences`),
    only<NotificationWebhook | null>('notifications', `${notified}/webhook`),
    only<NotificationDelivery[]>('notifications', `${notified}/webhook/deliveries`),
  ])
  return {
    tab,
    preferences,
    webhook,
    deliveries,
    factor,
    passkeys,
    sessions,
    tokens,
    limits,
    plans,
    users,
    people,
    resellers,
    hosts,
    audit,
    auditLimit: AUDIT_SHOWN,
  }
}
