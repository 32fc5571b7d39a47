"""Reports as JSON, Markdown and one page of HTML."""
