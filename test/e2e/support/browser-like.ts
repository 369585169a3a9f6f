import type { Instance, SiteResponse } from '#test/support/instance-types.ts'

/** A visitor of one site that keeps its cookies, follows nothing, and posts forms. */
export class BrowserLike {
  private readonly cookies = new Map<string, string>()
  private readonly instance: Instance
  private readonly host: string

  constructor(instance: Instance, host: string) {
    this.instance = instance
    this.host = host
  }

  cookieNames(): string[] {
    return [...this.cookies.keys()]
  }

  async request(
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
  ): Promise<SiteResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await this.instance.site(this.host, path, {
      ...init,
      headers: { ...init.headers, ...(cookie === '' ? {} : { cookie }) },
    })
    for (const line of response.setCookies) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }

  get(path: string): Promise<SiteResponse> {
    return this.request(path)
  }

  post(path: string, form: Record<string, string>): Promise<SiteResponse> {
    return this.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    })
  }
}
