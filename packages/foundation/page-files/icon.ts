/** The icon of the browser's tab. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#4338ca"/><path d="M9.5 7.5v9l7-4.5z" fill="#fff"/></svg>'
