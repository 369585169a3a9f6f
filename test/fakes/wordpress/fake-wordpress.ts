import { notFound } from '#handlers/errors.ts'
import type {
  FoundWordpress,
  WordpressPort,
  WordpressSource,
} from '#handlers/ports/host/wordpress/wordpress.ts'

export interface FakeWordpress extends WordpressPort {
  /** What is found in the sites of an account. */
  installed: Map<string, FoundWordpress[]>
  placed: WordpressSource[]
}

/** A WordPress of a version, in the document root of a site. */
export const foundWordpress = (domain: string, version = '6.1.6'): FoundWordpress => ({
  domain,
  path: 'public_html',
  directory: '',
  version,
  newest: '6.1.6',
  staging_of: null,
  plugins: [{ slug: 'akismet', name: 'Akismet', version: '5.0.1', newest: '5.0.1' }],
  themes: [{ slug: 'old', name: 'Old', version: '1.0', newest: null }],
})

/** WordPress installations that are where a test says, or were made through it. */
export const createFakeWordpress = (hasAccount: (username: string) => boolean): FakeWordpress => {
  const installed = new Map<string, FoundWordpress[]>()
  const fake: FakeWordpress = {
    installed,
    placed: [
      { version: '6.1.6', locales: ['de_DE'], localised: null, source: 'folder' },
      { version: '6.1.5', locales: ['pt_BR'], localised: 'pt_BR', source: 'archive' },
    ],
    async find({ username }) {
      if (!hasAccount(username)) throw notFound(`There is no account "${username}" on this host.`)
      return structuredClone(installed.get(username) ?? [])
    },
    sources: async () => fake.placed,
  }
  return fake
}
