import { WORDPRESS_RULES } from '#test/support/setups/rewrite-rules.ts'
/** What WordPress writes, and what security plugins and guides add around it. */
export const wordpressRules = (home: string): string => `# BEGIN Security
<Files xmlrpc.php>
  Require all denied
</Files>
<FilesMatch "^(?:wp-config\\.php|readme\\.html|license\\.txt)$">
  Require all denied
</FilesMatch>
<Files "wp-cron.php">
  AuthType Basic
  AuthName "Jobs"
  AuthUserFile ${home}/.passwords
  Require valid-user
</Files>
<IfModule mod_headers.c>
  Header always set X-Content-Type-Options nosniff
  Header set X-Frame-Options SAMEORIGIN
</IfModule>
<IfModule mod_expires.c>
  ExpiresActive On
  ExpiresByType image/png "access plus 1 year"
</IfModule>
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteCond %{QUERY_STRING} ^author=[0-9]+ [NC]
RewriteRule ^$ - [F]
RewriteCond %{HTTP_USER_AGENT} (?:sqlmap|nikto|BadBot) [NC]
RewriteRule .* - [F]
RewriteRule ^wp-includes/[^/]+\\.php$ - [F]
RewriteRule ^old-shop/(.*)$ /$1 [R=301,L]
</IfModule>
# END Security
${WORDPRESS_RULES}`
