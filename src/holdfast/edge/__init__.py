"""What every route and tool shares: values out, errors into replies. The edge holds no rules of the product."""
