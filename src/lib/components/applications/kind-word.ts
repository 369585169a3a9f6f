import type { Application } from '$lib/api/types'
import { texts } from '$lib/texts'

/** What an application is, in a word. */
export const kindWord = (application: Application): string =>
  application.start_command === null
    ? texts.applications.site
    : texts.applications.runtimes[application.runtime_kind]
