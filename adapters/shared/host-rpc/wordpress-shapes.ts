import { z } from 'zod'
import {
  databaseName,
  nothing,
  operationId,
  password,
  path,
  text,
  username,
} from './argument-shapes.ts'

const url = z.url().max(2048)
const line = (maxLength: number) => text(maxLength).regex(/^[^\r\n]*$/)

const database = z.object({
  name: databaseName,
  user: databaseName,
  password,
  host: line(255),
})

/** Arguments of `WordpressInstallPort`. */
export const WORDPRESS_INSTALL = {
  assertFree: z.object({ username, path }),
  install: z.object({
    operationId,
    username,
    path,
    url,
    version: line(32),
    database,
    site: z.object({
      title: line(200),
      locale: z.string().regex(/^[A-Za-z_]{2,20}$/),
      user: line(60),
      email: line(254),
      password,
    }),
  }),
  uninstall: z.object({ username, path, installId: operationId }),
}

const place = { username, path, url }

/** Arguments of `WordpressLoginPort`. */
export const WORDPRESS_LOGIN = {
  administrators: z.object(place),
  ticket: z.object({ ...place, user: z.number().int().positive() }),
}

const address = z.string().regex(/^https?:\/\/[\x21-\x7e]{1,2000}$/)

/** Arguments of `WordpressCarePort`. */
export const WORDPRESS_CARE = {
  settings: z.object({ username, path }),
  configure: z.object({
    username,
    path,
    debug: z.boolean().exactOptional(),
    withoutCron: z.boolean().exactOptional(),
  }),
  setPassword: z.object({ ...place, user: z.number().int().positive(), password }),
  integrity: z.object({ username, path }),
  replaceAddress: z.object({ ...place, from: address, to: address, dryRun: z.boolean() }),
}

const update = { ...place, updateId: operationId }

/** Arguments of `WordpressUpdatePort`. */
export const WORDPRESS_UPDATE = {
  check: z.object(place),
  exchange: z.object({ ...update, version: line(32) }),
  upgrade: z.object(place),
  revert: z.object(update),
  settle: z.object({ username, updateId: operationId }),
}

const pushed = { pushId: operationId, username, to: z.object({ path, url }) }
const push = z.object({
  ...pushed,
  from: z.object({ path, url }),
  files: z.boolean(),
  tables: z.array(line(64)).max(20_000),
})

/** Arguments of `WordpressCopyPort`. */
export const WORDPRESS_COPY = {
  survey: z.object(place),
  copy: z.object({
    copyId: operationId,
    from: z.object(place),
    to: z.object(place),
    database,
    staging: z.boolean(),
    names: z
      .array(z.object({ name: line(253), url: z.string().regex(/^https?:\/\/[a-z0-9.-]{1,253}$/) }))
      .max(4200),
  }),
  remove: z.object({ username, path, copyId: operationId, folder: z.boolean() }),
  push,
  revert: z.object(pushed),
  settle: z.object(pushed),
}

/** Arguments of `WordpressExtensionsPort`. */
export const WORDPRESS_EXTENSIONS = {
  packages: nothing,
  offers: z.object({ ...place, ask: z.boolean() }),
  exchange: z.object({
    ...update,
    kind: z.enum(['plugin', 'theme']),
    slug: text(200).regex(/^[^./\r\n][^/\r\n]*$/),
    version: line(32),
    origin: z.enum(['placed', 'offered']),
  }),
}
