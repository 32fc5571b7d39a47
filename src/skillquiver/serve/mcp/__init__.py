"""The MCP face: tools and the skills extension over one live library, on stdio and streamable HTTP."""
