import { lines, nested, type HostileShape } from './shape.ts'

const apacheSite = (inside: string, before = ''): string =>
  `${before}\n<VirtualHost *:80>\nServerName a.test\nDocumentRoot /srv/a\n${inside}\n</VirtualHost>\n`

/** Shapes of Apache that grow out of hand where a step is taken more than once for each thing. */
export const APACHE_SHAPES: readonly HostileShape[] = [
  {
    name: 'variables that double',
    says: /grow to more than 65536 characters\. Define/,
    make: (size) => ({
      text: `Define v0 aa\n${lines(size, (at) => `Define v${at + 1} "\${v${at}}\${v${at}}"`)}\n${apacheSite(`SetEnv A \${v${size}}`)}`,
    }),
  },
  {
    name: 'files of which each includes the next twice, in Apache',
    says: /more than 20000 files are included\. Convert/,
    make: () => ({
      text: apacheSite('Include i0.conf'),
      more: {
        ...Object.fromEntries(
          Array.from({ length: 30 }, (_, at) => [
            `/etc/web/i${at}.conf`,
            `Include i${at + 1}.conf\nInclude i${at + 1}.conf\n`,
          ]),
        ),
        '/etc/web/i30.conf': 'Require all denied',
      },
    }),
  },
  {
    name: 'many hosts and much that the server says for all of them',
    size: 3000,
    make: (size) => ({
      text: `${lines(size / 10, (at) => `SetEnv A${at} b`)}\n${lines(size / 10, (at) => `<VirtualHost *:80>\nServerName s${at}.test\nDocumentRoot /srv/a\n</VirtualHost>`)}`,
    }),
  },
  {
    name: 'many directories, each above the next',
    size: 1500,
    make: (size) => ({
      text: apacheSite(
        lines(size, (at) => `<Directory /srv/a${'/a'.repeat(at)}>\nSetEnv A b\n</Directory>`),
      ),
    }),
  },
  {
    name: 'many directories and many folders elsewhere',
    says: /more than 100 folders elsewhere\. Move/,
    make: (size) => ({
      text: apacheSite(
        lines(
          size,
          (at) =>
            `Alias /f${at} /srv/f${at}\n<Directory /srv/f${at}>\nRequire all granted\n</Directory>`,
        ),
      ),
    }),
  },
  {
    name: 'many rules with many conditions',
    make: (size) => ({
      text: apacheSite(
        `RewriteEngine On\n${lines(size, (at) => `RewriteCond %{HTTP_HOST} h${at}\nRewriteRule ^/r${at}$ /t${at}`)}`,
      ),
    }),
  },
  {
    name: 'sections in each other',
    says: /sections nest more than 50 deep\. Write/,
    make: (size) => ({
      text: apacheSite(nested(size, () => '<If "true">', '</If>', 'Require all denied')),
    }),
  },
  {
    name: 'many names',
    make: (size) => ({
      text: apacheSite(lines(size, (at) => `ServerAlias s${at}.test s${at}.example`)),
    }),
  },
  {
    name: 'many members of many balancers',
    says: /passes on more than 1000 paths\. Give/,
    make: (size) => ({
      text: apacheSite(
        lines(
          size,
          (at) =>
            `<Proxy balancer://b${at}>\nBalancerMember http://127.0.0.1:${1000 + (at % 60000)}\n</Proxy>\nProxyPass /p${at} balancer://b${at}`,
        ),
      ),
    }),
  },
  {
    name: 'many patterns of locations',
    size: 4000,
    make: (size) => ({
      text: apacheSite(
        lines(
          size,
          (at) => `<LocationMatch "^/l${at}/(a|b)+">\nHeader set X ${at}\n</LocationMatch>`,
        ),
      ),
    }),
  },
]
