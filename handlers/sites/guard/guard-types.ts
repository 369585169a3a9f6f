/** Which setting of a site decided. */
export type GuardRule =
  'deny' | 'allow' | 'www' | 'maintenance' | 'redirect' | 'password' | 'hotlink'

/** What a site's settings answer in place of the site. */
export interface GuardAnswer {
  rule: GuardRule
  status: number
  headers: Record<string, string>
}

/** One step of the guard, as the tester tells it. */
export interface GuardStep {
  rule: GuardRule
  /** `passed`: it has a say and lets the request through. `skipped`: it is not for this request. */
  outcome: 'passed' | 'stopped' | 'skipped'
  /** What it is about: a path, an address. */
  detail: string
}
