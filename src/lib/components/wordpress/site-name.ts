import type { Wordpress } from '$lib/api/types'

/** What a WordPress is called: its site, with the folder where it has one. */
export const siteName = ({ domain, directory }: Pick<Wordpress, 'domain' | 'directory'>): string =>
  directory === '' ? domain : `${domain}/${directory}`
