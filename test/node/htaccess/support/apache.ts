import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  HOSTING_MODULES,
  startPrivateApache,
  type PrivateApache,
} from '#test/support/servers/private-apache.ts'

export interface ApacheHost {
  domain: string
  root: string
}

export interface Apache extends PrivateApache {
  port: number
}

/** What a server without `.htaccess` files of its own does here as well: UTF-8 texts, no listings. */
const configText = (
  sites: string,
  port: number,
  hosts: readonly ApacheHost[],
  socket: string,
): string => `AddDefaultCharset utf-8
AddCharset utf-8 .css .js .json .xml .svg
DirectoryIndex index.php index.html
ServerSignature Off
FileETag None
<Directory />
  AllowOverride None
  Require all denied
</Directory>
<Directory ${sites}>
  AllowOverride All
  Options FollowSymLinks
  Require all granted
</Directory>
<FilesMatch "^\\.ht">
  Require all denied
</FilesMatch>
<FilesMatch "\\.php$">
  SetHandler "proxy:unix:${socket}|fcgi://localhost"
</FilesMatch>
SetEnvIfNoCase ^Authorization$ "(.+)" HTTP_AUTHORIZATION=$1
${hosts
  .map(
    ({ domain, root }) => `<VirtualHost 127.0.0.1:${port}>
  ServerName ${domain}
  ServerAlias www.${domain}
  DocumentRoot ${root}
</VirtualHost>`,
  )
  .join('\n')}
`

/**
 * Debian's Apache on a private port with a configuration of its own, every
 * override allowed, PHP through the given php-fpm socket. Document roots lie
 * below `<directory>/sites`.
 */
export const startApache = async (options: {
  directory: string
  port: number
  hosts: readonly ApacheHost[]
  phpSocket: string
}): Promise<Apache> => {
  const { port } = options
  const directory = join(options.directory, 'apache')
  mkdirSync(directory, { recursive: true })
  const config = configText(
    join(options.directory, 'sites'),
    port,
    options.hosts,
    options.phpSocket,
  )
  return {
    port,
    ...(await startPrivateApache({ directory, port, modules: HOSTING_MODULES, config })),
  }
}
